// SPDX-License-Identifier: Apache-2.0
// From the outcome of a question to what is told about it.
#pragma once

#include "ask/minimum_factor.h"
#include "ask/outcome.h"
#include "ask/question.h"
#include "cli/model_checks.h"
#include "lang/model.h"
#include "report/model_result.h"

namespace plumb::cli {

// Without a trace.
report::ModelResult blank_result(const LoadedCheck& check,
                                 const ask::Question& question,
                                 ask::Outcome outcome);

report::ModelResult result_of(const LoadedCheck& check,
                              const ask::Question& question,
                              ask::Outcome outcome,
                              const lang::Settings& settings);

}  // namespace plumb::cli
