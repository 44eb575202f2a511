// SPDX-License-Identifier: Apache-2.0
// Other programs, run and waited for.
#pragma once

#include <string>
#include <vector>

namespace plumb::cli {

struct ProcessOptions {
  bool keep_output = true;       // else its two outputs are ours
  bool fixed_addresses = false;  // no random places of programs in memory
  std::string input;             // what it reads
};

struct ProcessResult {
  int status = 0;  // of its exit
  int signal = 0;  // what ended it; 0: it exited
  std::string output, errors;

  bool succeeded() const { return signal == 0 && status == 0; }
};

// Runs argv[0], looked for in PATH, until it ends; an interrupt is passed on.
// Throws InputError if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv,
                          const ProcessOptions& options = {});

// Where this program is, as PATH tells; "" if it is nowhere.
std::string find_program(const std::string& name);

// Puts another program in the place of this one.  Throws InputError.
[[noreturn]] void become(const std::vector<std::string>& argv);

}  // namespace plumb::cli
