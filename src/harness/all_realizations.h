// SPDX-License-Identifier: Apache-2.0
// Judges all realizations of an execution at once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "check/transitions.h"
#include "check/verdict.h"
#include "harness/explainer.h"
#include "harness/realizations.h"
#include "harness/row_table.h"

namespace plumb::harness {

// Four threads with four calls each that have nothing to do with each other
// have 63 million realizations, but only 625 sets of calls that came first.
// Once such a set has returned, all that matters is in which states the object
// can be then, and which of the calls under way took effect.  So we walk over
// pairs of what was invoked and the set of what can be, and visit each once:
// the subset construction, as for models.
class AllRealizations {
 public:
  // Requires: all but `calls` outlive this; `order` is not kProgram.
  AllRealizations(const SeenCalls& calls, const Needs& needs,
                  check::Order order, check::Transitions& transitions,
                  Budget& budget);

  // Is there an order for every realization?  kUnknown: the budget is spent.
  check::Answer answer();

  // One without, after kViolated.
  const Overlap& witness() const { return overlap_; }

 private:
  // Calls that took effect and have not returned (the upper half), and the
  // state after that.
  using Configuration = std::uint64_t;
  using Configurations = std::vector<Configuration>;

  bool walk_real_time(CallMask invoked, CallMask returned,
                      const Configurations& now);
  bool walk_quiescent(CallMask done, const Configurations& now);
  bool is_new(CallMask invoked, const Configurations& now);
  void invoke(CallMask calls, CallMask returned);

  // What can be after all of `required` took effect, each of them and others
  // of `open` at some time; but no later than needed.
  Configurations advance(const Configurations& now, CallMask open,
                         CallMask required);
  bool may_take(std::size_t call, CallMask taken, CallMask open) const;
  bool ends_well(const Configurations& now, CallMask open);

  check::Transitions& transitions_;
  LabelledCalls labels_;
  const Needs& needs_;
  const check::Order order_;
  Budget& budget_;
  Overlap overlap_;  // of the path that is walked
  bool spent_ = false;
  RowTable known_;
  std::vector<std::uint64_t> row_;
};

}  // namespace plumb::harness
