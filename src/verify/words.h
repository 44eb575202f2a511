// SPDX-License-Identifier: Apache-2.0
// Numbers for people, and the end of a search that contradicts itself.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::verify {

// 1234567 as "1,234,567".
std::string with_commas(std::uint64_t number);

// Throws LimitError, which says that this is our error: a wrong verdict would
// be worse, and other checks can go on.
[[noreturn]] void fail(const char* what);

}  // namespace plumb::verify
