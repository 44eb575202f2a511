// SPDX-License-Identifier: Apache-2.0
// Which files the user means.
#pragma once

#include <string>
#include <vector>

namespace plumb::cli {

// Replaces each directory by the histories below it, sorted by name: files
// that end in .jsonl, .json or .edn, and the same with .gz.  Throws InputError
// if there is no such file or directory, or a directory without any.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs);

// The same for models: files that end in .plumb or .csp.
std::vector<std::string> expand_models(const std::vector<std::string>& inputs);

}  // namespace plumb::cli
