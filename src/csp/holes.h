// SPDX-License-Identifier: Apache-2.0
// Finds the holes of a process: what is a value as soon as it is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "csp/ast.h"
#include "csp/valuation.h"

namespace plumb::csp {

// Bound slots of a rewritten tree from here on are what the process binds
// itself (inputs, indices), by depth; those below are holes.
inline constexpr std::int64_t kFreshSlot = std::int64_t{1} << 32;

// A hole is an expression without variables, over names whose values are
// known before the process, as large as possible.  Comparisons and what joins
// them stay as they are in conditions: PAT shows `[if((2 >= 0))]`.  What can
// go wrong (a division, an element of an array) is no hole, since it must
// not go wrong before it is asked for.
class Holes {
 public:
  // `each`: every occurrence is a hole of its own, constants too; else equal
  // ones share a hole and constants stay in the text.
  // Requires: the layout outlives it.
  Holes(bool each, const Layout& layout) : each_(each), layout_(layout) {}

  // The same with holes as bound slots.  Call one of them, once.
  ProcessPtr process(const Process& process);
  std::vector<EventName> events(const std::vector<EventName>& events);
  // A list that is evaluated as a whole, once, and stays as it was then: what
  // it reads of variables is a hole, too.
  // LIMIT: with indices of the list inside, one element of an array that has
  // one dimension is; else variables are read anew in each state.
  std::vector<EventName> evaluated(const std::vector<EventName>& events);

  // In order; over the slots of the definition.
  const std::vector<ExprPtr>& found() const { return found_; }
  // The number of the first hole in child i, for `each`.
  std::size_t first_of_child(std::size_t i) const { return first_of_child_[i]; }

  // An expression over holes of a child, as one over the holes found here:
  // `own` are the slots that the process itself binds for that child.
  // `cursor` is first_of_child(), and goes on from hole to hole.
  ExprPtr over_these(const ExprPtr& expression,
                     const std::vector<std::uint32_t>& own,
                     std::size_t& cursor) const;

 private:
  struct Binder {
    std::uint32_t slot;
    std::string name;
  };

  ProcessPtr rewrite(const Process& process, bool top);
  ExprPtr rewrite(const ExprPtr& expression);
  ExprPtr condition(const ExprPtr& expression);
  StatementPtr rewrite(const StatementPtr& statement);
  std::vector<Index> indices(const std::vector<Index>& indices);
  EventName event(const EventName& event);
  ExprPtr hole(const ExprPtr& expression);
  bool can_be_hole(const Expression& expression) const;
  bool is_known(std::uint32_t slot) const;
  bool is_evaluated(const Expression& expression) const;

  bool each_;
  bool evaluates_ = false;
  const Layout& layout_;
  // What is bound inside of the process and around the place at hand.
  std::vector<Binder> scope_;
  std::vector<ExprPtr> found_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::vector<std::size_t> first_of_child_;
};

// Slots that a process binds itself, in order: inputs or indices.
std::vector<std::uint32_t> own_slots(const Process& process);
// Constants put together: 1 - 1 is 0.
ExprPtr folded(const ExprPtr& expression, const Layout& layout);

}  // namespace plumb::csp
