// SPDX-License-Identifier: Apache-2.0
// How this program was built, for --version and reports of bugs.
#pragma once

#include <string>

#include "report/json_value.h"

namespace plumb::cli {

// "0.1.0", with the commit if that is known.
std::string version_line();

// Compiler, kind of build and the versions of libraries.
report::Json build_facts();

// All of it for people, and whether tests of code can be run here.
std::string version_text();

}  // namespace plumb::cli
