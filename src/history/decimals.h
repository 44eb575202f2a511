// SPDX-License-Identifier: Apache-2.0
// Numbers of histories by their decimal digits, none of which is lost.
#pragma once

#include <optional>
#include <string_view>

#include "base/value.h"

namespace plumb::history {

// "12", "-1.50", "2e9": the same value for the same number, however it is
// written, and another one for any other number.
// Nothing if its exponent has more than 15 digits.
// Requires: that form.
std::optional<Value> decimal(std::string_view text);

}  // namespace plumb::history
