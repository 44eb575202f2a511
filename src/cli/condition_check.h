// SPDX-License-Identifier: Apache-2.0
// Conditions on models: what a check line asks of its object.
#pragma once

#include <string_view>

#include "check/condition.h"
#include "check/relaxation.h"
#include "cli/model_checks.h"
#include "history/history.h"
#include "lang/model.h"
#include "spec/specification.h"
#include "verify/outcome.h"

namespace plumb::cli {

// Is it a condition, and not `safe` or a progress property?
bool is_condition(std::string_view property);

struct AskedCondition {
  check::Condition condition;
  check::Universe universe;  // of the model
  // What the condition's order is asked of: the specification of the model,
  // relaxed by the condition.
  spec::SpecificationPtr object;
};

// Requires: the property of the check is a condition.  Throws InputError if
// it does not fit the object, or cannot be decided on models.
AskedCondition asked_condition(const LoadedCheck& check,
                               const lang::Model& model,
                               check::Construction construction);

// May an object that satisfies the condition give an item before it got it, or
// give it twice?
bool may_give_early(const AskedCondition& asked);

// Where puts are relaxed, somebody could still put in what the object gave
// although no client of the check has that value.  So if `history` has such
// values, the question is asked again with them: true, and `asked` knows them.
bool add_values(const history::History& history, const lang::Model& model,
                check::Construction construction, AskedCondition& asked);

// The bound on busy periods, if the condition has them.
verify::Busy busy_bound(const LoadedCheck& check, const lang::Model& model,
                        check::Order order);

}  // namespace plumb::cli
