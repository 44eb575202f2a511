// SPDX-License-Identifier: Apache-2.0
// Texts from Windows, as UTF-8 with newlines.
#pragma once

#include <string>

namespace plumb::csp {

// Without byte order mark; what is no UTF-8 is taken for Windows-1252, in
// which older files of PAT are written.  Old line ends become newlines.
// Throws InputError if it is UTF-16.
std::string normalised(const std::string& name, std::string text);

}  // namespace plumb::csp
