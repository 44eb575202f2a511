// SPDX-License-Identifier: Apache-2.0
// One overwritten line on a terminal while a test takes more than a second.
#pragma once

#include <cstddef>
#include <string>

namespace plumb::harness {

// Silent unless standard error is a terminal.  Drawn by a signal handler, not
// by a thread: while an execution runs, whatever a thread does would be taken
// for something that the test does.
class Progress {
 public:
  Progress(const std::string& name, std::size_t programs);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  bool is_on_ = false;
};

// For the one that is shown.
void finished_one_program();
void show_histories(std::size_t histories);

}  // namespace plumb::harness
