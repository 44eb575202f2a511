// SPDX-License-Identifier: Apache-2.0
// Processes as states refer to them: numbered shapes with holes for values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "csp/ast.h"
#include "csp/evaluate.h"
#include "csp/valuation.h"

namespace plumb::csp {

// A process term is a tree of operators over leaves; a leaf is the number of a
// node and values for its holes.  In `a.(i + 1) -> P(i, x)`, x a variable, the
// holes are i + 1 and i: the node is the text that is left, the values are
// part of the state.  So two terms are one state if their texts are equal once
// values are put in and folded, wherever they were written.  x is read when
// P takes its first step, as PAT does.
using NodeId = std::uint32_t;
inline constexpr NodeId kSkipNode = 0, kStopNode = 1, kChooseNode = 2;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

enum class NodeKind : std::uint8_t {
  // Leaves.
  kSkip,
  kStop,
  kChoose,  // initial values are still to be chosen
  kPrefix,  // one event or several to choose from
  kSend,
  kReceive,
  kGuard,
  kIf,
  kIfAtomic,
  kIfBlocking,
  kCase,
  kGeneral,
  kInternal,
  kReference,
  kAssert,
  // Operators whose operands move on their own.  In a term each stands as its
  // frame (Node::frame), followed by the operands' terms.
  kSequence,
  kAtomic,
  kExternal,
  kInterleave,
  kParallel,
  kInterrupt,
  kHide,
  kCopies,      // |||{n}@P
  kReplicated,  // |||{..}@P
};

// An expression over the holes of a node (kBound slot k: hole k) and, behind
// them, what the node binds itself.
struct Compiled {
  ExprPtr tree;
  Program program;
  std::int32_t slot = -1;         // it is just this hole
  std::optional<Datum> constant;  // or just this value
  std::vector<std::uint32_t> uses;
  bool open = false;    // it reads variables, not holes alone
  bool writes = false;  // it changes variables, which is forgotten

  // The expression if it is over holes only, else null: nothing is known.
  ExprPtr over_holes(std::uint32_t holes) const {
    const bool is_known = !open && std::ranges::all_of(uses, [&](auto used) {
      return used < holes;
    });
    return is_known ? tree : nullptr;
  }
};

// Another node, and its holes from those of this one.
struct Child {
  NodeId node = kNoNode;
  std::vector<Compiled> holes;
};

struct IndexShape {
  std::vector<Compiled> values;  // listed; else from low to high
  Compiled low, high;
};

// An event: its name, or that of a channel with a sign, and fields.
struct EventShape {
  std::uint32_t name = 0;  // see Nodes::names
  bool is_tau = false;
  std::vector<Compiled> fields;
  std::vector<IndexShape> indices;  // in lists of events
};

struct PatternShape {
  bool binds = false;
  Compiled value;
};

struct Node {
  NodeKind kind = NodeKind::kStop;
  bool is_frame = false;
  // An operator that cannot be unfolded without reading variables: a leaf
  // until its first step.
  bool is_lazy = false;
  bool has_block = false;
  bool is_indexed = false;
  bool synchronous = false;  // the channel
  std::uint32_t holes = 0;
  std::uint32_t owner = 0;  // the definition that it was first found in
  NodeId frame = kNoNode;
  NodeId origin = kNoNode;  // of a frame: the operator
  std::vector<Child> children;
  std::vector<EventShape> events;  // texts of internal steps too
  Program block;
  std::vector<Compiled> conditions;
  std::vector<IndexShape> indices;
  Compiled copies;
  // kReference.
  std::uint32_t process = 0;
  std::vector<Compiled> arguments;
  // kSend, kReceive.
  std::uint32_t channel = 0;
  Compiled channel_index;
  bool has_channel_index = false;
  std::vector<Compiled> fields;
  std::vector<PatternShape> patterns;
  std::uint32_t inputs = 0;
  // With holes as bound slots; null for frames.
  ProcessPtr shape;
  StatementPtr statement;  // the block, likewise
  Span span;
  // Further places of the same text, and the definitions they are in.
  struct Place {
    std::uint32_t owner = 0;
    Span span;
  };
  std::vector<Place> also;
};

// How the fields of an event become a text.
struct NameShape {
  enum class Kind : std::uint8_t {
    kEvent,
    kTau,
    kIf,
    kIfNot,
    kIfBlocking,
    kCase
  };
  Kind kind = Kind::kEvent;
  std::string text = {};   // the first part; of a channel without its sign
  char sign = '\0';        // '!' or '?': of a buffered channel; '.' of another
  bool indexed = false;    // the first field is the index of a channel
  ExprPtr condition = {};  // fields are the values of `uses`
  std::vector<std::uint32_t> uses = {};
};

// #alphabet: events over holes, which are over the parameters.
struct AlphabetShape {
  std::vector<Compiled> holes;
  std::vector<EventShape> events;
};

struct DefinitionShape {
  std::string name;
  Child body;                  // its holes are over the parameters
  NodeId reference = kNoNode;  // to it; its holes are the arguments
  std::vector<std::optional<Range>> ranges;
  std::optional<AlphabetShape> alphabet;
  Span span;
};

// All nodes of a module.  Never changes once it is made.
struct Nodes {
  std::shared_ptr<const Module> module;
  std::shared_ptr<const Layout> layout;
  std::vector<Node> nodes;
  std::vector<NameShape> names;
  std::vector<DefinitionShape> definitions;
  bool counts_processes = false;  // some expression reads #P()
  bool has_synchronous = false;   // some channel is
  std::uint32_t terminate = 0, pick = 0, choose = 0;  // names of steps

  const Node& operator[](NodeId id) const { return nodes[id]; }
};

}  // namespace plumb::csp
