// SPDX-License-Identifier: Apache-2.0
// All objects and random conditions, for tests that want every combination.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "check/condition.h"
#include "spec/specification.h"

namespace plumb::testing {

// Every object of the catalogue, with and without a capacity, blocking and
// not: "queue", "queue(1)", "blocking_queue(2)", ...
std::vector<std::string> all_objects();

// A name for a test: letters and digits only.
std::string test_name(const std::string& object);

check::Condition random_order(std::mt19937& random);

// With factors on one or two operations, open, closed or read literally.
check::Condition random_quasi(std::mt19937& random,
                              const spec::Specification& object);

// With out_of_order, late or stuttering on some operations.
check::Condition random_transformed(std::mt19937& random,
                                    const spec::Specification& object);

// The condition in words, with the options that go with it.
std::string describe(const check::Condition& condition);

}  // namespace plumb::testing
