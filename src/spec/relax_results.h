// SPDX-License-Identifier: Apache-2.0
// Which results operations of an object can ever have.
#pragma once

#include <vector>

#include "base/value.h"
#include "spec/relax.h"
#include "spec/specification.h"

namespace plumb::spec {

// By operation code, for the codes that `wanted` says: every result that the
// operation has in any state that can be reached by calls with the arguments
// of `relaxation`, and perhaps some more; of numbers that a built-in object
// tells, those that the relaxation speaks of.  In the order of their words.
//
// Throws InputError if they cannot be known from the signature and are not
// found within 200,000 states.
std::vector<std::vector<Value>> possible_results(
    const Specification& object, const Relaxation& relaxation,
    const std::vector<bool>& wanted);

}  // namespace plumb::spec
