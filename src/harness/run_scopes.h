// SPDX-License-Identifier: Apache-2.0
// What is so while a test runs, and is put back when that ends.
#pragma once

#include <cstddef>

#include "base/samples.h"
#include "harness/case.h"
#include "harness/explore.h"
#include "harness/programs.h"
#include "harness/run_program.h"
#include "runtime/execution.h"

namespace plumb::harness {

// However the test ends, the program's data is put back.
struct Finish {
  ~Finish() { runtime::finish(); }
};

// While it lives, the last return of a call is shown to debuggers; faults stop
// in runtime::fail().
class StopAtEnd {
 public:
  explicit StopAtEnd(const Program& program) {
    calls_left_ = program.before.size() + program.after.size();
    for (const auto& thread : program.threads) calls_left_ += thread.size();
    ProgramRun::listener = [](const ProgramRun::Record&, bool returns) {
      if (returns && --calls_left_ == 0) plumb_stop_here();
    };
  }
  ~StopAtEnd() { ProgramRun::listener = nullptr; }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

 private:
  static inline std::size_t calls_left_ = 0;
};

// While it lives, executions are counted here.
struct CountedExecutions {
  CountedExecutions() { execution_samples = &samples; }
  ~CountedExecutions() { execution_samples = nullptr; }
  CountedExecutions(const CountedExecutions&) = delete;
  CountedExecutions& operator=(const CountedExecutions&) = delete;

  Samples samples;
};

}  // namespace plumb::harness
