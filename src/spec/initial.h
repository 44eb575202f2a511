// SPDX-License-Identifier: Apache-2.0
// Objects that hold something from the beginning, and results not known.
#pragma once

#include <span>
#include <string>

#include "spec/specification.h"

namespace plumb::spec {

// `object` after the operation called `put` was made with each of `arguments`.
// `name` is for people: "queue[1, 2]".  Throws InputError if one of them does
// not go through in one way.  Requires: the object has that operation.
SpecificationPtr begun_with(SpecificationPtr object, std::string_view put,
                            std::span<const Value> arguments, std::string name);

// Is it one that begun_with() gave?
bool is_begun(const Specification& object);

// What an operation returned of which nobody wrote down the result: no value
// of a history is equal to it.  People see "?".
Value unknown_result();

// `object`, of which any result fits where unknown_result() was seen.  Relaxed
// objects cannot be made of it: they ask for the results themselves.
SpecificationPtr with_unknown_results(SpecificationPtr object);

}  // namespace plumb::spec
