// SPDX-License-Identifier: Apache-2.0
// Results as files: JSON, a page, and what CI systems read.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "report/json_value.h"
#include "report/result_file.h"

namespace plumb::cli {

// Options and the files that they name.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;

// Each is a file, "-" for standard output, or "" for none.
struct OutputOptions {
  std::string json, html, junit, sarif;

  void add_to(CLI::App& command);
  // Without --json, which is what some commands read.
  void add_formats_to(CLI::App& command);
  // Is anything to be written?
  bool any() const;
  // Are annotations wanted, for the machine that runs us?
  static bool annotates();
  bool takes_standard_output() const;
  // Throws InputError if one of these, or of `others`, would be written twice,
  // or is one of `inputs`: by file, whatever it is called.
  void require_apart(const NamedFiles& others = {},
                     const std::vector<std::string>& inputs = {}) const;

  // Writes what was asked for.  Throws InputError.
  void write(report::Json result) const;
  // The same of a run, whose job may want annotations, unless it is `quiet`.
  void write(report::Json result, bool quiet) const;
};

// The command line, once main() has told it, and how long ago that was.
void set_command_line(int argc, char** argv);
report::RunFacts run_facts(report::Sources& sources);

// Writes the whole text or throws InputError: to standard output for "-".  A
// file is either as it was or has all of the text, whatever happens.
void write_output(const std::string& path, const std::string& text);

}  // namespace plumb::cli
