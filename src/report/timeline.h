// SPDX-License-Identifier: Apache-2.0
// Operations drawn as bars in real time, one lane per process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"
#include "spec/specification.h"

namespace plumb::report {

// "process 2", as its source calls it.
std::string process_name(const history::History& history,
                         const history::Operation& operation);

// "lines 3-5", where it was called and where it returned in its source.
std::string lines_of(const history::Operation& operation);

//   process 0   |- enq(1) -|               |- deq() -> 2 -|
//   process 1                |- enq(2) -|
//
// Only the order of the ends of the bars means something, not their length.
// Falls back to a list, one operation a line, where bars would not fit into
// `width` characters; there, `unit` says what Operation::line counts.  Every
// line begins with `indent`.
std::string draw_timeline(const history::History& history,
                          const spec::Specification& object,
                          const std::vector<std::uint32_t>& operations,
                          const std::string& indent, std::size_t width,
                          const char* unit = "line");

}  // namespace plumb::report
