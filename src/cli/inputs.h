// SPDX-License-Identifier: Apache-2.0
// Which files the user means, and which others are read.
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

// A file is read that the command line does not name: what a model includes, a
// header.  Threads may call this.
void note_input(const std::string& path);
// Throws InputError if that was said of the file, by whatever name.
void require_no_input(const std::string& path);

}  // namespace plumb::cli
