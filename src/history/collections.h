// SPDX-License-Identifier: Apache-2.0
// How maps and sets of a history's notation become values.
#pragma once

#include <utility>
#include <vector>

#include "base/value.h"

namespace plumb::history {

// Lists, maps and sets within each other, at most.  LIMIT: deeper values are
// an InputError, so that no input can exhaust the stack.
inline constexpr int kDeepest = 64;

// Sorted by key, so that equal maps are equal values.
Value map_value(std::vector<std::pair<Value, Value>> entries);

// A set is the list of its members, sorted, each once.
Value set_value(std::vector<Value> members);

}  // namespace plumb::history
