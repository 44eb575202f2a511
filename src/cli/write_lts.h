// SPDX-License-Identifier: Apache-2.0
// The states and steps of a model as a file for other tools.
#pragma once

#include <string>

#include "base/budget.h"
#include "cli/model_checks.h"

namespace plumb::cli {

// Throws InputError unless the name of the file ends in .aut or .dot.
void require_lts_name(const std::string& path);

// Explores the system of `check` once more and writes it.  What a limit kept
// out is said on standard error.  Throws InputError.
void write_lts(const std::string& path, const LoadedCheck& check,
               std::uint64_t state_limit, Budget budget);

}  // namespace plumb::cli
