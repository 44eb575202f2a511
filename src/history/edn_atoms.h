// SPDX-License-Identifier: Apache-2.0
// The smallest parts of EDN: numbers, characters, escapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"

namespace plumb::history {

// 12, -3, +4, 5N, 1.5, 2e9, 1.5M, 2/3, 0xff.  Nothing if it is no number, or
// one that is too large for a floating-point number.  If it is not to be kept,
// the value means nothing.
std::optional<Value> edn_number(std::string_view token, bool keep);

// The character called a, newline, space, u03A9, ...: in UTF-8.
std::optional<std::string> edn_character(std::string_view name);

// The character that `\c` stands for in a string; '\0' if none.
char edn_escape(int c);

// Exactly four hexadecimal digits.
std::optional<std::uint32_t> hex4(std::string_view digits);

// Appends a character.  Returns false if there is none with that code.
bool append_utf8(std::uint32_t code, std::string& text);

}  // namespace plumb::history
