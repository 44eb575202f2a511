// SPDX-License-Identifier: Apache-2.0
// Calls and results of a test in the words of a specification.
#pragma once

#include <vector>

#include "base/value.h"
#include "harness/case.h"
#include "spec/specification.h"

namespace plumb::harness {

// The calls of a test, by number.
// Throws InputError if the specification has no such operation, or one that
// takes other arguments.
std::vector<spec::Call> calls_of(const test::Case& test,
                                 const spec::Specification& object);

// What a specification compares of what a call gave: null where it has no
// result, true for whatever is not false where that means success.
// Throws InputError, without a place, if it is not of the right kind.
Value result_of(const spec::Signature& signature, Value given);

}  // namespace plumb::harness
