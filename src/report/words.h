// SPDX-License-Identifier: Apache-2.0
// Small pieces of text that all reports share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "check/verdict.h"

namespace plumb::report {

// "1 operation", "12,345 states".
std::string counted(std::uint64_t number, std::string_view noun);
// "1,234,567".
std::string grouped(std::uint64_t number);
// "512 B", "3.4 KiB", "12 MiB".
std::string sized(std::uint64_t bytes);

// On one line, with no run of white space longer than one, and no control
// characters; at most `width` characters, the last of which are "..." if
// something was cut off.
std::string fitted(std::string_view text, std::size_t width);

// `text` on lines of at most `width` characters, each after `indent` and ended
// by a newline; those after the first are indented by two more.
std::string wrapped(std::string_view text, const std::string& indent,
                    std::size_t width);

// `text` as if nothing in it had been painted.
std::string without_colors(std::string_view text);

// `text` in the colour of good (kHolds), bad or undecided news.
std::string painted(std::string_view text, check::Answer answer, bool color);

}  // namespace plumb::report
