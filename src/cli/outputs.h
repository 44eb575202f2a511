// SPDX-License-Identifier: Apache-2.0
// Results as files: JSON, a page, and what CI systems read.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "report/json_value.h"
#include "report/result_file.h"

namespace plumb::cli {

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
  // Throws InputError if two files cannot both be written.
  void require_apart() const;

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
