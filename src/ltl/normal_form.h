// SPDX-License-Identifier: Apache-2.0
// Formulas whose negations stand at atoms only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "ltl/formula.h"

namespace plumb::ltl {

using NodeId = std::uint32_t;

struct Node {
  enum class Kind : std::uint8_t {
    kTrue,
    kFalse,
    kLiteral,  // atom `left`, negated if `right` is 1
    kAnd,
    kOr,
    kNext,  // `left` only
    kUntil,
    kRelease,
  };
  Kind kind = Kind::kTrue;
  NodeId left = 0, right = 0;

  friend bool operator==(const Node&, const Node&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Node& node) {
    return H::combine(std::move(h), node.kind, node.left, node.right);
  }
};

// Each formula once, so that equal ones have equal ids.  What makes a node
// gives a simpler one of the same meaning where it knows one: <>[]<>a is []<>a,
// (a U b) || (a U c) is a U (b || c).
class NormalForms {
 public:
  NormalForms();

  static constexpr NodeId kTrue = 0, kFalse = 1;

  // Of a formula or its negation.
  NodeId of(const Formula& formula, bool negated);

  NodeId literal(std::size_t atom, bool negated);
  NodeId conjunction(NodeId a, NodeId b);
  NodeId disjunction(NodeId a, NodeId b);
  NodeId next(NodeId a);
  NodeId until(NodeId a, NodeId b);
  NodeId release(NodeId a, NodeId b);
  NodeId always(NodeId a) { return release(kFalse, a); }
  NodeId eventually(NodeId a) { return until(kTrue, a); }

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  using Kind = Node::Kind;

  NodeId make(Node node);
  NodeId make_of(const Formula& formula, bool negated);
  bool is(NodeId id, Kind kind) const { return nodes_[id].kind == kind; }
  bool is_eventually(NodeId id) const {
    return is(id, Kind::kUntil) && nodes_[id].left == kTrue;
  }
  bool is_always(NodeId id) const {
    return is(id, Kind::kRelease) && nodes_[id].left == kFalse;
  }
  bool are_opposite(NodeId a, NodeId b) const;
  bool has_part(NodeId id, Kind kind, NodeId part) const {
    return is(id, kind) &&
           (nodes_[id].left == part || nodes_[id].right == part);
  }

  std::vector<Node> nodes_;
  FlatMap<Node, NodeId> ids_;
  FlatMap<std::pair<const Formula*, bool>, NodeId> known_;
};

}  // namespace plumb::ltl
