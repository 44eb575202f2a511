// SPDX-License-Identifier: Apache-2.0
// What every command shares: options, limits, exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "check/verdict.h"
#include "cli/outputs.h"

namespace plumb::cli {

// Part of the contract with scripts.
enum ExitStatus : int {
  kExitHolds = 0,
  kExitViolated = 1,
  kExitBadInput = 2,
  kExitUnknown = 3,
  kExitInterrupted = 130,
};

// The same for people, at the end of --help.
constexpr const char* kExitStatuses =
    "Exit status: 0 holds, 1 violated, 2 bad usage or input, 3 undecided "
    "(a limit\nwas reached), 130 interrupted. With several checks, 2 beats "
    "1 beats 3 beats 0.";

// With several checks: 2 beats 1 beats 3 beats 0.
ExitStatus worse(ExitStatus a, ExitStatus b);
ExitStatus status_of(check::Answer answer);

// In quotes for a shell, whatever is in it.
std::string in_quotes(std::string_view word);
// The same of a file's name, which is not to be taken for an option.
std::string file_in_quotes(const std::string& name);

struct CommonOptions {
  OutputOptions outputs;
  std::string time_limit;
  std::string memory_limit;
  unsigned jobs = 0;  // 0: as many as there are cores
  std::uint64_t seed = 0;
  bool quiet = false;
  bool no_color = false;

  void add_to(CLI::App& command);
  // Throws InputError if a limit cannot be read.
  Budget budget() const;
  // That of a run that begins now.
  Budget::Clock::time_point deadline() const;
  std::size_t memory_bytes() const;
  unsigned worker_count() const;
  bool color() const;
  // Is there text for people on standard output?
  bool says_text() const { return !quiet && !outputs.takes_standard_output(); }
};

}  // namespace plumb::cli
