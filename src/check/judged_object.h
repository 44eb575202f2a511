// SPDX-License-Identifier: Apache-2.0
// By which object a history is judged, and whether that can be done.
#pragma once

#include "check/condition.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// `object` itself, or one that accepts any result where the history has
// spec::unknown_result().  Throws InputError if the condition relaxes it: then
// the results themselves matter.
spec::SpecificationPtr judged_object(const history::History& history,
                                     spec::SpecificationPtr object,
                                     const Condition& condition);

// Throws InputError if the condition asks what could still follow the history,
// and nobody can tell which arguments would suffice: with an object of the
// user's own, any value may behave in its own way, and so may those that an
// object begins with.
void require_closed_if_own(const Condition& condition,
                           const spec::Specification& object);

}  // namespace plumb::check
