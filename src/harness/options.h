// SPDX-License-Identifier: Apache-2.0
// The command line of a test program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "harness/settings.h"

namespace plumb::harness {

struct Options {
  std::string json;               // a file, "-" for standard output, "": none
  std::string results;            // for `plumb test`: see ResultSink
  std::vector<std::string> only;  // names of tests; none: all
  std::string replay;             // a schedule; "": search
  std::optional<double> stress;   // seconds with real threads
  std::string time_limit;
  std::string whole_time_limit;  // of which that is left; "": all of it
  std::string memory_limit;
  unsigned jobs = 1;  // 0: as many as there are cores
  std::size_t programs = 10'000;
  bool all = false;  // go on after a violation
  bool list = false;
  bool relax_orders = false;  // find those that are stronger than needed
  bool stories = false;  // tell how what is violated came about in any case
  bool quiet = false;
  bool no_color = false;
  bool force_color = false;  // somebody else shows our text on a terminal
  bool gdb_stop = false;
  bool help = false;
  // How the user runs this again: "plumb test queue.cpp".
  std::string command;
  std::string command_end;  // ... and what must come last: " -- -lfoo"
  // For a program with a main() of its own.
  std::vector<std::string> program_arguments;
  // Since when time counts; how many tests share what is left, with the next.
  Budget::Clock::time_point begin = Budget::Clock::now();
  std::size_t tests = 1;
  // Settings that go before those of tests, in the order given.
  std::vector<std::pair<std::string, std::string>> settings;

  // The settings of a test, with these on top.
  Settings over(const Settings& of_test) const;
  Budget budget() const { return budget_until(end()); }
  Budget budget_until(Budget::Clock::time_point moment) const;
  // When the time limit is reached, and so long after it; without one, at the
  // end of time.
  Budget::Clock::time_point end(std::chrono::milliseconds grace = {}) const;
  // The time limit as the user gave it; 0: none.
  double whole_seconds() const;
  unsigned workers() const;
  bool color() const;
  // What must be said again to see the same programs and runs.
  std::string to_repeat() const;
};

// Throws InputError.
Options parse_options(const std::vector<std::string>& arguments);

// All of them, for --help.
std::string options_help();

}  // namespace plumb::harness
