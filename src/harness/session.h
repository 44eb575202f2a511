// SPDX-License-Identifier: Apache-2.0
// Runs the tests of a program, or one of them, and tells what came out.
#pragma once

#include <string>
#include <vector>

#include "harness/case.h"

namespace plumb::harness {

// All registered tests, as the command line has it.  Returns the exit status.
int run_registered(int argc, char** argv);

// The same for a program whose only test is its own main().
using MainFunction = int (*)(int, char**, char**);
int run_whole_program(const char* name, const char* file,
                      MainFunction main_function, int argc, char** argv);

// One test, for other test frameworks: fills its report and status.
void check_alone(test::Case& test);

}  // namespace plumb::harness
