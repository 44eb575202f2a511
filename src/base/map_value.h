// SPDX-License-Identifier: Apache-2.0
// Values that are maps.  To all who do not include this they are one whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/value.h"

namespace plumb {

// Keys and values in turn, the keys in ascending order; so equal maps are
// equal values.  A key without a value makes a value that is no map, and equal
// to nothing of any input.
Value map_of(std::span<const Value> keys_and_values);
bool is_map(Value value);
// Requires: is_map().  Keys and values in turn; valid for ever.
std::span<const Value> keys_and_values(Value map);

// An integer that fits 64 bits, also if it does not fit Value's word.
std::optional<std::int64_t> to_integer(Value value);

}  // namespace plumb
