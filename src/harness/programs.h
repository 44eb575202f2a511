// SPDX-License-Identifier: Apache-2.0
// The programs of a test: those written by hand, and those made from bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/value.h"
#include "harness/case.h"
#include "spec/specification.h"

namespace plumb::harness {

struct ProgramLimits {
  std::size_t programs = 10'000;  // that are made
  std::uint64_t seed = 1;         // of those chosen at random
  // Values that the specification treats alike are treated alike by the code;
  // threads are, unless a restriction names them.
  bool values_alike = false;
  bool threads_alike = true;
};

struct ProgramList {
  std::vector<Program> programs;
  // Was every program within the bounds made?  Else only those of at most
  // `whole_up_to` calls were, and some larger ones by chance.
  bool complete = true;
  std::size_t whole_up_to = 0;
  // Programs that differ only in the names of these were made once.
  std::vector<Value> renamed_values;
  bool renamed_threads = false;
};

// Those of the test, then those made from its bounds: every program of at most
// so many threads and calls in each, smallest first, one of each set of
// programs that are the same but for names.  Threads can be renamed unless a
// restriction names them; values where `object` says that it treats them alike
// and programs use them alike, if only operations take them whose values are
// distinct (there they are names, in order), or `limits` say so.
ProgramList programs_of(const test::Case& test,
                        const spec::Specification& object,
                        const ProgramLimits& limits);

// "push(1); pop() | push(2); pop()", with what comes before and after.
std::string describe(const test::Case& test, const Program& program);

}  // namespace plumb::harness
