// SPDX-License-Identifier: Apache-2.0
// Runs one test: all its programs, and the evidence if one is violated.
#pragma once

#include <functional>

#include "base/budget.h"
#include "harness/case.h"
#include "harness/options.h"
#include "harness/outcome.h"

namespace plumb::harness {

// Told of a violation as soon as it is certain; what people want to see of it
// comes later, unless somebody loses patience.
using Found = std::function<void(const TestResult&)>;

// Throws InputError if the test or an option cannot be.
TestResult run_test(const test::Case& test, const Options& options,
                    Budget& budget, const Found& found = nullptr);

}  // namespace plumb::harness
