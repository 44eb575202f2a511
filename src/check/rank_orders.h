// SPDX-License-Identifier: Apache-2.0
// Orders of a container's history with small rank errors, and lower bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"
#include "base/value.h"
#include "check/rank_replay.h"
#include "history/history.h"

namespace plumb::check {

// When something can happen: [first, last], in moments of the history; those
// of what never happens come after all of them.
struct Span {
  history::Moment first = 0, last = 0;
};

// What was put in once, and perhaps taken once.
// Invariant: added.first <= taken.first, added.last <= taken.last.
struct Element {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Value value;
  Span added, taken;
  std::uint32_t put = kNone;   // an operation
  std::uint32_t take = kNone;  // none: it stays
  Role putter = Role::kPutBack, taker = Role::kNone;
  std::size_t priority = 0;  // of a priority queue: the least first
  bool is_guess = false;     // its take never returned

  bool stays() const { return take == kNone; }
};

// A history of a container, by what was in it.
struct Elements {
  std::vector<Element> all;  // puts in the order of their invocations
  std::vector<std::uint32_t> empty_takes;
  std::vector<std::uint32_t> never_put;  // takes without an element
  std::size_t not_known = 0;
  bool repeated = false;  // was some value put twice?
  // Before this, no take took effect of which it is not known what it took.
  history::Moment first_unknown_take = 0;
  history::Moment end = 0;  // after everything

  // Matches takes to puts so that each take that can have an element has one.
  Elements(const history::History& history, const Container& container);

 private:
  void gather(const history::History& history, const Container& container);
  void match(const history::History& history, const Container& container);
  void guess(const history::History& history, const Container& container);
  void tighten();
};

// In which all take effect as late as their invocations, or returns, say.
ContainerOrder order_by_invocation(const Elements& elements);
ContainerOrder order_by_return(const Elements& elements);

// Orders that are likely to have small errors.
std::vector<ContainerOrder> promising_orders(const Elements& elements,
                                             const Container& container,
                                             Budget& budget);

// By element: how many, at least, are inside before it whenever it is taken.
// All zero where values repeat, and of deques.
std::vector<std::uint32_t> certain_errors(const Elements& elements,
                                          const Container& container,
                                          Budget& budget);

// Is it an order that keeps real time?
bool keeps_real_time(const history::History& history,
                     const std::vector<std::uint32_t>& operations);

}  // namespace plumb::check
