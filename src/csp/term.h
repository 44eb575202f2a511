// SPDX-License-Identifier: Apache-2.0
// Process terms as bytes: how they are made and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "csp/datum.h"
#include "csp/evaluate.h"
#include "csp/node.h"
#include "lts/system.h"

namespace plumb::csp {

// A term in bytes: the node's number and the values of its holes; a frame is
// followed by what it holds:
//   ; hide atomic     one term
//   interrupt         two terms
//   ||| || [*]        how many, and the terms
//   |||{n} |||{..}    how many different ones, how many there are of each,
//                     and the terms, in the order of their bytes
// Skip is one byte, and Skip; Q is Q, atomic{Skip} is Skip.

// Values that live until reset(): their places do not change.
class Values {
 public:
  std::span<Datum> take(std::size_t count);
  void reset() { block_ = used_ = 0; }

 private:
  static constexpr std::size_t kBlock = 4096;
  std::vector<std::unique_ptr<std::vector<Datum>>> blocks_;
  std::size_t block_ = 0, used_ = 0;
};

// A step that cannot be said in terms of an expression that failed.
struct StepFault {
  enum class Kind : std::uint8_t {
    kAssert,     // assert(b), b is false
    kUnguarded,  // P calls itself without a step
    kAlphabet,   // cannot be computed
    kMany,       // more components or values of an index than we allow
    kArgument,   // outside of the parameter's range
  };
  Kind kind = Kind::kAssert;
  Span span;
  std::string detail;
};

// Reads what stands between a frame's holes and its operands, and returns how
// many of these there are (alike ones counted once).
std::uint64_t operands_of(const Node& frame, const std::uint8_t*& at);

// LIMIT: of the values that the indices of an operator may have together.
inline constexpr std::size_t kMostComponents = 10'000;

// Makes terms.  One per thread.
class Terms {
 public:
  // Requires: all outlive it.
  Terms(const Nodes& nodes, Context& context, Values& values)
      : nodes_(nodes), context_(context), values_(values) {}

  using Holes = std::span<const Datum>;

  // All of these throw RuntimeFault, or StepFault.
  Datum value(const Compiled& code, Holes holes) {
    if (code.slot >= 0) return holes[static_cast<std::size_t>(code.slot)];
    if (code.constant) return *code.constant;
    context_.bound = holes;
    if (code.writes) return value_on_copy(code);
    return evaluate(code.program, context_);
  }
  bool holds(const Compiled& code, Holes holes) {
    context_.bound = holes;
    if (code.writes) return as_number(value_on_copy(code), code) != 0;
    return csp::holds(code.program, context_);
  }
  // Throws RuntimeFault if it is no number.
  std::int32_t number(const Compiled& code, Holes holes);
  // The holes of a child.
  Holes holes_of(const Child& child, Holes holes);
  // Calls `use` with the holes and the values of the indices behind them, for
  // all values in order.
  void for_each(const std::vector<IndexShape>& indices, Holes holes, Span place,
                const std::function<void(Holes)>& use);

  // Appends the term of a process.
  void write(NodeId node, Holes holes, lts::StateBytes& out);
  void write(const Child& child, Holes holes, lts::StateBytes& out);
  // The operator as a frame and its operands, also if it is a lazy one.
  void unfold(NodeId node, Holes holes, lts::StateBytes& out);

  // How many of a process there are, for #P(): references to it and terms
  // that are parts of its body, those that have ended left out.  What holds
  // several of them counts as these, what holds none of them as one.
  std::int32_t count(std::uint32_t process, lts::StateView term) const;
  // Where the term ends that begins at `at`.
  const std::uint8_t* end_of(const std::uint8_t* at) const;
  // Reads the holes of a node.
  Holes read_holes(std::uint32_t count, const std::uint8_t*& at);

 private:
  // Conditions and fields only look.
  Datum value_on_copy(const Compiled& code);
  static std::int32_t as_number(const Datum& datum, const Compiled& code);
  std::int32_t count(std::uint32_t process, const std::uint8_t*& at,
                     int depth) const;
  void write_components(const Node& node, Holes holes, lts::StateBytes& out);
  void write_sequence(const Node& node, Holes holes, lts::StateBytes& out);
  void write_copies(const Node& node, Holes holes, lts::StateBytes& out);

  const Nodes& nodes_;
  Context& context_;
  Values& values_;
};

inline bool is_skip(std::span<const std::uint8_t> term) {
  return term.size() == 1 && term[0] == kSkipNode;
}

}  // namespace plumb::csp
