// SPDX-License-Identifier: Apache-2.0
// What a test declares and no program calls: nothing is left out silently.
#pragma once

#include <string>
#include <vector>

#include "harness/case.h"
#include "spec/specification.h"

namespace plumb::harness {

// Complains about an operation that no program can call, with its line and
// what to add, and about programs that call nothing.
void require_nothing_left_out(test::Case& test);

// What a verdict does not speak about though one might think so, as clauses:
// operations of the specification that the test does not have, programs that
// lack values.
std::vector<std::string> left_out(const test::Case& test,
                                  const spec::Specification& object);

}  // namespace plumb::harness
