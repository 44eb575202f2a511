// SPDX-License-Identifier: Apache-2.0
// Characters of texts that may be anything.
#pragma once

#include <string>
#include <string_view>

namespace plumb::report {

inline constexpr char32_t kReplacement = 0xFFFD;

// Takes the first character off `text`, which is not empty; kReplacement for a
// byte that begins none.
char32_t take_character(std::string_view& text);

void append_character(char32_t character, std::string& out);

// Everything that is no UTF-8 replaced.
std::string valid_utf8(std::string_view text);

}  // namespace plumb::report
