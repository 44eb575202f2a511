// SPDX-License-Identifier: Apache-2.0
// Texts from Windows, as UTF-8 with newlines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::csp {

// The length of the UTF-8 character that `text` begins with, 0 if it is none.
std::size_t character_length(std::string_view text);

// Without byte order mark; what is no UTF-8 is taken for Windows-1252, in
// which older files of PAT are written.  Old line ends become newlines.
// Throws InputError if it is UTF-16.
std::string normalised(const std::string& name, std::string text);

}  // namespace plumb::csp
