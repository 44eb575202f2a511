// SPDX-License-Identifier: Apache-2.0
// Which checks of which models the user means.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/subject.h"
#include "base/input_error.h"
#include "lang/model.h"
#include "report/json.h"

namespace plumb::cli {

// What the commands on models have in common.
struct ModelOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> checks;  // --check: a line's number or a text in it
  std::vector<std::string> sets;    // --set N=4
  // A check without a check line.
  std::string property;
  std::string object;
  std::optional<std::uint32_t> processes, operations, cells;
  std::string values;
  bool quiet = false;  // no warnings

  void add_to(CLI::App& command, bool inputs_required);
  // Throws InputError.
  lang::Settings settings() const;
};

// A check line of a .plumb model, or an assertion of a CSP# one.
struct LoadedCheck {
  ask::SubjectPtr subject;
  std::string file;
  std::size_t line = 0;  // 0: it came from the command line
  std::string text;      // "treiber linearizable with 3 processes, values 1..2"
  std::string written;   // the same as it stands in the file
  std::string arguments;  // that choose it: "--check 27"
};

struct Loaded {
  std::vector<LoadedCheck> checks;
  std::vector<report::BadInput> errors;
};

// Reads the models and chooses their checks.  What is wrong with a file is an
// error of that file; throws InputError if a --check fits no check at all.
Loaded load_checks(const ModelOptions& options);

// The check that `text` describes in a model, which need not have a line for
// it.  Throws InputError.
LoadedCheck load_check(const std::string& file, const std::string& text,
                       std::size_t line, const lang::Settings& settings);

// What a file is called in messages: standard input has a name, too.
std::string displayed(const std::string& path);

// The whole of a file, or of standard input for "-".  Throws InputError.
std::string read_text(const std::string& path);

}  // namespace plumb::cli
