// SPDX-License-Identifier: Apache-2.0
// Runs one test: all its programs, and the evidence if one is violated.
#pragma once

#include "base/budget.h"
#include "harness/case.h"
#include "harness/options.h"
#include "harness/outcome.h"

namespace plumb::harness {

// Throws InputError if the test or an option cannot be.
TestResult run_test(const test::Case& test, const Options& options,
                    Budget& budget);

}  // namespace plumb::harness
