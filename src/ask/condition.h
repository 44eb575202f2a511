// SPDX-License-Identifier: Apache-2.0
// Conditions on models: what a check line asks of its object.
#pragma once

#include "check/condition.h"
#include "check/relaxation.h"
#include "history/history.h"
#include "lang/ast.h"
#include "lang/model.h"
#include "spec/specification.h"
#include "verify/outcome.h"

namespace plumb::ask {

struct AskedCondition {
  check::Condition condition;
  check::Universe universe;  // of the model
  // What the condition's order is asked of: the specification of the model,
  // relaxed by the condition.
  spec::SpecificationPtr object;
};

// What the check says, if that is a condition.  Throws InputError.
check::Condition condition_of(const lang::Check& check);

// Throws InputError if the condition does not fit the object, or cannot be
// decided on models.
AskedCondition asked_condition(const lang::Check& check,
                               const lang::Model& model,
                               const check::Condition& condition,
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
verify::Busy busy_bound(const lang::Check& check, const lang::Model& model,
                        check::Order order);

}  // namespace plumb::ask
