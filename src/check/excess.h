// SPDX-License-Identifier: Apache-2.0
// Which operations of a violated history went too far, and by how much.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "check/explain.h"
#include "check/nearest_order.h"
#include "check/relaxation.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// One that is further from its turn than its factor allows.
struct TooFar {
  std::uint32_t operation = 0;  // indexes Excess::orders.operations
  std::string class_name;
  std::uint32_t factor = 0;
};

struct Excess {
  // The condition with the smallest factors that explain the history, if some
  // that were tried do.
  std::optional<Condition> nearest;
  // Else: the largest that were tried; nothing if it is plain that no factors
  // would do.
  std::optional<Condition> widest;
  // ... and a value that was taken out more often than it was put in, as
  // "deq() -> 7 was never put in"; empty if there is none.
  std::string never;

  // With `nearest`: pi, which keeps the order, and pi', which is legal; both
  // empty if there was no time to find them.
  TwoOrders orders;
  std::vector<TooFar> too_far;
};

// What a quasi condition means is asked from outside: models know which values
// their clients have.
struct Measure {
  // Judges `history` by another condition, which differs in its factors only.
  std::function<Verdict(const history::History& history,
                        const Condition& condition, bool want_order,
                        Budget& budget)>
      decide;
  // Arguments that further operations may have beside those of the history;
  // by code, or empty.
  std::vector<std::vector<Value>> arguments;
};

// Nothing if the condition is not quasi(...), if there was no time, or if the
// history is too long.
// Requires: the history is violated; `explanation` is what explain() said.
std::optional<Excess> measure_excess(const history::History& history,
                                     const spec::Specification& object,
                                     const Condition& condition,
                                     const Explanation& explanation,
                                     const Measure& measure, Budget& budget);

// The same as `plumb history` reads a condition.
std::optional<Excess> measure_excess(const history::History& history,
                                     const spec::Specification& object,
                                     const Condition& condition,
                                     const Explanation& explanation,
                                     Budget& budget);

// The same as models read it: see relaxed_for_models().
std::optional<Excess> measure_excess_on_model(
    const history::History& history, const spec::SpecificationPtr& base,
    const Condition& condition, const Universe& universe,
    const Explanation& explanation, Budget& budget);

}  // namespace plumb::check
