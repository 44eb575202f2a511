// SPDX-License-Identifier: Apache-2.0
// Text with parts of inputs in it, made safe for terminals (escape sequences).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace plumb {

// Is a character none of those that speak to terminals?
bool is_plain(char32_t character);

// Every character that could speak to a terminal, or to who reads its lines,
// is written as \x1b or \u202e: control characters but for newlines and tabs,
// DEL, C1, marks that change the direction of writing, line separators, bytes
// that are no UTF-8; the colon of a line that begins with "::", which is a
// command for GitHub's runners.  `colors`: sequences that choose a colour stay.
std::string terminal_text(std::string_view text, bool colors = false);

// The same for what must stay on one line, such as the name of a file.
std::string one_line(std::string_view text);

// A word in quotes for a shell, '...', or $'...' if it is no plain text.
std::string shell_quoted(std::string_view word);

// Where all text for people goes.
void print_text(std::FILE* to, std::string_view text, bool colors = false);

}  // namespace plumb
