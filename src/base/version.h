// SPDX-License-Identifier: Apache-2.0
// The version of the tool, in one place.
#pragma once

namespace plumb {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace plumb
