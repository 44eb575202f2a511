// SPDX-License-Identifier: Apache-2.0
// Operations drawn as bars in real time, one lane per process.
#pragma once

#include <cstdint>
#include <span>
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

struct TimelineStyle {
  const char* indent;                             // every line begins with it
  std::size_t width;                              // of a line, in characters
  const char* unit = "line";                      // what Operation::line counts
  std::span<const history::Remark> remarks = {};  // in the order of their lines
};

//                           ! start-partition
//   process 0   |- enq(1) -|                   |- deq() -> 2 -|
//   process 1             |- enq(2) -|
//
// Only the order of the ends of the bars means something, not their length.
// Falls back to a list, one operation a line, where bars would not fit.
std::string draw_timeline(const history::History& history,
                          const spec::Specification& object,
                          const std::vector<std::uint32_t>& operations,
                          const TimelineStyle& style);

}  // namespace plumb::report
