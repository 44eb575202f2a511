// SPDX-License-Identifier: Apache-2.0
// The relaxed object that a quasi condition means for a history.
#pragma once

#include "check/condition.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Requires: the condition's factors fit `object`, which outlives the result.
//
// The operations that may be guessed have the arguments that the history
// mentions, and one that it does not: every other unmentioned value would
// behave in the same way.  (Where values are ordered, a mentioned one serves.)
spec::SpecificationPtr relaxed_object(const history::History& history,
                                      const spec::Specification& object,
                                      const Condition& condition);

}  // namespace plumb::check
