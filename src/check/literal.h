// SPDX-License-Identifier: Apache-2.0
// Quasi-linearizability taken at the papers' word.
#pragma once

#include "base/budget.h"
#include "check/condition.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Is there an order pi of the operations of `history` that keeps the order of
// the condition, and a legal permutation pi' of pi such that no operation is
// further than its class's factor from its place, places counted among the
// operations of its class [AfekKorlandYanovsky10, Def. 4]?  Classes are the
// operations of one name, without a given factor: 0.  A take that found
// nothing is in no class, so its place is free.  The order between classes is
// free, too: a value may be taken out before it is put in, which is why this
// is not the default.  The history is judged alone, as in the papers.
//
// Requires: for quiescent orders, `history` is widened to busy periods.
Verdict decide_literally(const history::History& history,
                         const spec::Specification& object,
                         const Condition& condition, bool want_order,
                         Budget& budget);

}  // namespace plumb::check
