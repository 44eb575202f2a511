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
                               check::Construction construction,
                               const Budget& budget);

// What is to be thought of a violation that a search found.
enum class Doubt : std::uint8_t {
  kNone,
  // It has values that were not known: `asked` knows them now.
  kAskAgain,
  // The decider of histories explains it.
  kExplained,
};

// Where quasi factors are asked, the search knows some values and some results
// only: see check::Universe.  So what it found is asked of histories, too.
Doubt doubt(const history::History& history, const lang::Model& model,
            check::Construction construction, Budget& budget,
            AskedCondition& asked);

// The bound on busy periods, if the condition has them.
verify::Busy busy_bound(const lang::Check& check, const lang::Model& model,
                        check::Order order);

}  // namespace plumb::ask
