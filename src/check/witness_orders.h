// SPDX-License-Identifier: Apache-2.0
// How far the operations of a history that holds are from their places.
#pragma once

#include <optional>

#include "base/budget.h"
#include "check/condition.h"
#include "check/nearest_order.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// pi, the witness, and a pi' that the object itself accepts, in which no
// operation is further from its place than its factor allows.  Nothing if the
// condition is not quasi(...), if there was no time, or if the history is too
// long.
// Requires: `verdict` is what decide() said of this: it holds, with an order.
std::optional<TwoOrders> witness_orders(const history::History& history,
                                        const spec::Specification& object,
                                        const Condition& condition,
                                        const Verdict& verdict, Budget& budget);

}  // namespace plumb::check
