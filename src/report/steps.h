// SPDX-License-Identifier: Apache-2.0
// The steps of a run as a table with one column for each process.
#pragma once

#include <cstddef>
#include <string>

#include "report/trace.h"

namespace plumb::report {

//   step  line  process 0              process 1
//      1        > push(1)
//      2     9  if (cas(top, t, n))
//               top: null -> #1
//      3                               > pop()
//
// Calls begin with '>', returns with '<', faults with '!', and steps that a
// `linearize` mark names with '*'.  Only processes that do something have a
// column; where there are too many for `width` characters, each line names its
// process instead.  Every line begins with `indent`.
std::string draw_steps(const Trace& trace, const std::string& indent,
                       std::size_t width);

}  // namespace plumb::report
