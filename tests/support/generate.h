// SPDX-License-Identifier: Apache-2.0
// Large histories of a simulated object, for tests and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "history/history.h"

namespace plumb::testing {

struct Load {
  // queue, stack, priority_queue, deque, set, register
  std::string object = "queue";
  std::size_t operations = 1000;
  std::uint32_t processes = 8;
  std::uint64_t seed = 1;
  // About so many values are inside at a time (not for a register).
  std::size_t depth = 64;
  // Swaps two results, or changes one, nine tenths into the history, so that
  // it can no longer be explained; needs a few thousand operations.
  bool violate = false;
  // Of a register: may a cas fail?  If not, it always names the right value.
  bool failing_cas = false;
  // Of a container: puts draw from so many different values; 0: each once.
  std::size_t values = 0;
  // Of a queue: its takes are so far from their places at most.  Values make
  // segments, each by one larger than this, that leave in any order.
  std::size_t relaxed = 0;
  // So many of a thousand operations never return, whether or not they took
  // effect; the process goes on.
  std::size_t lost_of_thousand = 0;
  // Stops when the last operation is invoked: those that run stay pending.
  bool leave_pending = false;
};

// Random processes call the object, one operation at a time each.  Every call
// takes effect at a moment between invocation and return, so the history is
// linearizable.  No value is put, added or written twice, unless `values` says
// otherwise; then to violate swaps two results that lie far apart, which
// nearly always cannot be explained.
//
// Throws InputError if there is no such object.
history::History generate(const Load& load);

}  // namespace plumb::testing
