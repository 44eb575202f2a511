// SPDX-License-Identifier: Apache-2.0
// What can be told of an expression without running it.
#pragma once

#include <cstdint>
#include <optional>

#include "csp/ast.h"

namespace plumb::csp {

// The value of an expression without variables: numbers of 32 bits, booleans
// as 0 and 1.  None if there is no such value (a division by zero).
std::optional<std::int64_t> constant_of(const Expression& expression);

// Whether evaluating it may change a variable or an object.
bool changes(const Expression& expression);

}  // namespace plumb::csp
