// SPDX-License-Identifier: Apache-2.0
// Decides whether a history satisfies a condition: the way in for all levels.
#pragma once

#include <cstdint>

#include "base/budget.h"
#include "check/busy_periods.h"
#include "check/condition.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Which decider may answer.  They always agree; this is for measuring and for
// testing one against the other.
enum class Decider : std::uint8_t {
  kAuto,     // a special one where it applies, else the general search
  kGeneral,  // the general search only
  kSpecial,  // a special one only; unknown where none applies
};

struct Options {
  bool want_order = false;  // fill Verdict::order
  Decider decider = Decider::kAuto;
};

// Judges one history of one object.
Verdict decide(const history::History& history,
               const spec::Specification& object, const Condition& condition,
               const Options& options, Budget& budget);

// The same in two steps, for those who cut histories down: first the order
// that the condition asks for is put into the history (for quiescent orders,
// operations are widened to their busy periods), then that is judged.
Part ordered_by(const Condition& condition, const history::History& history);
Verdict decide_ordered(const history::History& ordered,
                       const spec::Specification& object,
                       const Condition& condition, const Options& options,
                       Budget& budget);

}  // namespace plumb::check
