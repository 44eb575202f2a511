// SPDX-License-Identifier: Apache-2.0
// How many events ago a thread was where it is now: rounds of its loops.
#pragma once

#include <cstdint>

#include "runtime/core.h"
#include "runtime/loops.h"

namespace plumb::runtime {

// `event` is what the thread is about to do.  How many steps ago was it here
// before, about to touch the same; or, if it never was, something else?  More
// than there are: it was not.
std::uint32_t distance_back(const LoopLog& log, const Event& event);

// A loop within another one comes here some times in each round of that. The
// next longer distance at which it did the same as before that; 0: none.
std::uint32_t round_before(const LoopLog& log, const Event& event,
                           std::uint32_t distance);

}  // namespace plumb::runtime
