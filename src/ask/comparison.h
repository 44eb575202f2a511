// SPDX-License-Identifier: Apache-2.0
// Comparison of specifications: one does nothing that the other does not.
#pragma once

#include "ask/outcome.h"
#include "ask/question.h"
#include "base/budget.h"
#include "lang/ast.h"
#include "lang/model.h"

namespace plumb::ask {

// Requires: check.refinement is not null.  Throws InputError.
Outcome compare(const lang::Module& module, const lang::Check& check,
                const lang::Settings& settings, const Question& question,
                Budget& budget);

}  // namespace plumb::ask
