// SPDX-License-Identifier: Apache-2.0
// Which assertions of CSP# models the user means.
#pragma once

#include <cstddef>
#include <string>

#include "cli/model_checks.h"

namespace plumb::cli {

bool is_csp(const std::string& file);

// Reads the model; appends its assertions, or what is wrong with it, and shows
// its warnings.  Throws InputError.
void load_assertions(const std::string& file, const std::string& text,
                     bool warns, Loaded& out);
// The assertion that reads like `check`, the one on that line if there are
// several.  Throws InputError.
LoadedCheck load_assertion(const std::string& file, const std::string& text,
                           const std::string& check, std::size_t line);

}  // namespace plumb::cli
