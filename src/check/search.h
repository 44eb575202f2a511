// SPDX-License-Identifier: Apache-2.0
// The general decider for orders that are intervals: any specification.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

class ForcedOrder;

struct SearchOptions {
  bool want_order = false;
  // On a violation, fill Verdict::order with the longest order found that
  // explains a beginning of the history.
  bool want_longest = false;
  // For program order: what is known of every explanation, if anything.
  const ForcedOrder* forced = nullptr;
};

// Is there an order of `history` that keeps real time and that `object`
// accepts?  On a violation, Verdict::core is all that was invoked before the
// first return that no order gets past.
Verdict search_real_time(const history::History& history,
                         const spec::Specification& object,
                         const SearchOptions& options, Budget& budget);

// The same for program order: operations of one process stay in order.  With
// `keep_real_time`, those whose intervals are disjoint do so as well (busy
// periods widened to intervals).
Verdict search_program_order(const history::History& history,
                             const spec::Specification& object,
                             bool keep_real_time, const SearchOptions& options,
                             Budget& budget);

}  // namespace plumb::check
