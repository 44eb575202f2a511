// SPDX-License-Identifier: Apache-2.0
// One check of a model, from its line to its result.
#pragma once

#include <string>

#include "base/budget.h"
#include "check/relaxation.h"
#include "cli/condition_check.h"
#include "cli/model_checks.h"
#include "lang/model.h"
#include "lts/reduction.h"
#include "report/model_result.h"
#include "verify/outcome.h"

namespace plumb::cli {

struct HowToCheck {
  verify::Options options;
  lts::Reductions reductions;
  check::Construction construction = check::Construction::kExact;
  std::string fairness = "none";  // of formulas, unless the check says
  bool pat_counts = false;        // CSP# only: search and count as PAT does
  bool keep_dead = false;         // ... keep what is never read again
};

// Compiles the check and decides it.  `budget` is that of the whole run.
// Throws InputError.
report::ModelResult run_check(const LoadedCheck& check,
                              const lang::Settings& settings,
                              const HowToCheck& how, Budget budget);

// The system of a check with as few states as the check allows; null if it
// allows none to be left out.  `asked` is what it asks, null if that is no
// condition.
lts::Reduced reduced_for(const LoadedCheck& check, const lang::Model& model,
                         const AskedCondition* asked, lts::Reductions wanted);

// What a result says before anything was decided, and before anything was
// compiled.
report::ModelResult blank_result(const LoadedCheck& check);
report::ModelResult blank_result(const LoadedCheck& check,
                                 const lang::Model& model);

// Fills in why the history of a violation cannot be explained.
void explain_history(report::ModelResult& result, const AskedCondition& asked,
                     Budget& budget);

// Says so where the relaxation was not made in the exact way.
void label_construction(const std::string& relaxation,
                        check::Construction construction,
                        report::ModelResult& result);

// "plumb verify --check 27 'treiber.plumb'".
std::string command_for(const LoadedCheck& check,
                        const lang::Settings& settings);

}  // namespace plumb::cli
