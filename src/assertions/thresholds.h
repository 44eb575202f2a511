// SPDX-License-Identifier: Apache-2.0
// When a search stops to look at what it has so far.
#pragma once

#include <cstdint>

namespace plumb::assertions {

// Questions about cycles need a graph.  A part of it that was expanded may show
// a bad cycle long before all of it is known, so it is looked at when it has
// grown to four times its size: that costs a third more at most.
class Thresholds {
 public:
  // Is it time, with so many states expanded?
  bool passed(std::uint64_t expanded) {
    if (expanded < next_) return false;
    next_ *= 4;
    return true;
  }

 private:
  std::uint64_t next_ = 4096;
};

}  // namespace plumb::assertions
