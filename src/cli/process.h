// SPDX-License-Identifier: Apache-2.0
// Other programs, run and waited for.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace plumb::cli {

struct ProcessOptions {
  bool keep_output = true;       // else its two outputs are ours
  bool fixed_addresses = false;  // no random places of programs in memory
  std::string input;             // what it reads
  // Called now and then until it ends; true: it has done its work, and is
  // ended if it does not end soon.
  std::function<bool()> while_waiting = {};
  // At this moment it is killed.
  std::chrono::steady_clock::time_point latest_end =
      std::chrono::steady_clock::time_point::max();
  // What it leaves behind, whatever it does to be rid of its parents, is killed
  // as well.
  bool kills_orphans = false;
};

struct ProcessResult {
  int status = 0;         // of its exit
  int signal = 0;         // what ended it; 0: it exited
  bool was_late = false;  // and was killed for that
  std::string output, errors;

  bool succeeded() const { return signal == 0 && status == 0; }
};

// Runs argv[0], looked for in PATH, until it ends; an interrupt is passed on,
// and what does not heed it is killed.  It never outlives us.
// Throws InputError if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv,
                          const ProcessOptions& options = {});

// Where this program is, as PATH tells; "" if it is nowhere.
std::string find_program(const std::string& name);

// Puts another program in the place of this one.  Throws InputError.
[[noreturn]] void become(const std::vector<std::string>& argv);

}  // namespace plumb::cli
