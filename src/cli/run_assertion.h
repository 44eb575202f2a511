// SPDX-License-Identifier: Apache-2.0
// One assertion of a CSP# model, from its text to its result.
#pragma once

#include <cstddef>
#include <optional>

#include "base/budget.h"
#include "cli/run_check.h"
#include "lts/path.h"
#include "report/model_result.h"

namespace plumb::cli {

// Decides it.  Throws InputError.
report::ModelResult run_assertion(const LoadedCheck& check,
                                  const HowToCheck& how, Budget budget);

// What a result says before anything was decided.
report::ModelResult blank_assertion(const LoadedCheck& check);

// Does this run of the asserted process, which may go back to one of its
// states for ever, decide the assertion?  `unknown`: no.  Throws InputError.
verify::Outcome judge_run(const LoadedCheck& check, const lts::Path& run,
                          std::optional<std::size_t> back_to, Budget& budget);

}  // namespace plumb::cli
