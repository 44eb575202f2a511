// SPDX-License-Identifier: Apache-2.0
// One check of a model, from its line to its result.
#pragma once

#include <string>

#include "base/budget.h"
#include "cli/model_checks.h"
#include "lang/model.h"
#include "lts/reduction.h"
#include "report/model_result.h"
#include "verify/outcome.h"

namespace plumb::cli {

struct HowToCheck {
  verify::Options options;
  lts::Reductions reductions;
};

// Compiles the check and decides it.  `budget` is that of the whole run.
// Throws InputError.
report::ModelResult run_check(const LoadedCheck& check,
                              const lang::Settings& settings,
                              const HowToCheck& how, Budget budget);

// What a result says before anything was decided.
report::ModelResult blank_result(const LoadedCheck& check,
                                 const lang::Model& model);

// Fills in why the history of a violation cannot be explained.
void explain_history(report::ModelResult& result, Budget& budget);

// "plumb verify --check 27 'treiber.plumb'".
std::string command_for(const LoadedCheck& check,
                        const lang::Settings& settings);

}  // namespace plumb::cli
