// SPDX-License-Identifier: Apache-2.0
// Times and amounts of memory, as people write them.
#pragma once

#include <cstddef>
#include <string>

namespace plumb {

// "90", "90s", "1.5m", "2h", "500ms".  Throws InputError.
double parse_seconds(const std::string& text);
// "4G", "500M", "1000000".  Throws InputError.
std::size_t parse_bytes(const std::string& text);

}  // namespace plumb
