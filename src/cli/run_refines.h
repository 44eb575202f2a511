// SPDX-License-Identifier: Apache-2.0
// A check that compares two specifications, from its line to its result.
#pragma once

#include "base/budget.h"
#include "cli/model_checks.h"
#include "cli/run_check.h"
#include "lang/model.h"
#include "report/model_result.h"

namespace plumb::cli {

// Requires: check.check->refinement is not null.  Throws InputError.
report::ModelResult run_refines(const LoadedCheck& check,
                                const lang::Settings& settings,
                                const HowToCheck& how, Budget budget);

}  // namespace plumb::cli
