// SPDX-License-Identifier: Apache-2.0
// The variables that a compiler of tests gets to see.
#pragma once

#include <string>
#include <vector>

namespace plumb::cli {

// Any variable may tell a compiler, or a script that stands in for one, what to
// do.  Those that differ from terminal to terminal, from session to session or
// from one run of make to the next would make it build again each time, and
// are not handed to it: so it is certain that nothing depends on them.

// "NAME=VALUE" of all that it gets to see, sorted.
std::vector<std::string> compiler_environment();

// Takes the others out of the environment of this process.
void forget_session();

}  // namespace plumb::cli
