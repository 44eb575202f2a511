// SPDX-License-Identifier: Apache-2.0
// Which bytes are letters, digits, spaces, or parts of a character.
#pragma once

#include <cstddef>
#include <string_view>

namespace plumb::text {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
         c == '\v';
}

// The length of the character of UTF-8, not of ASCII, that the text begins
// with; 0 if it begins with none.
std::size_t character_length(std::string_view text);

}  // namespace plumb::text
