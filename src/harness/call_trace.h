// SPDX-License-Identifier: Apache-2.0
// What the calls of one execution gave, and what must happen before what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/value.h"

namespace plumb::harness {

inline constexpr std::size_t kMaxCalls = 32;  // their ends fit a word

// A call of the main thread, before or after the threads.
struct SoloCall {
  std::uint16_t call = 0;  // its number in the test
  bool pending = false;    // it never returned; the last one, then
  Value result;
};

// The calls of the threads stand in program order, thread by thread.  End 2i
// is the first event of call i, and end 2i + 1 its last one: what happens
// before them bounds when the call can have been invoked and have returned.
// Made once and filled anew for every execution.
struct CallTrace {
  std::uint32_t size = 0;     // of the threads' calls
  std::uint32_t pending = 0;  // a mask: those that never returned
  std::array<std::uint16_t, kMaxCalls> call;
  std::array<std::uint8_t, kMaxCalls> thread;
  std::array<Value, kMaxCalls> result;
  // By end, the ends that happen before it: transitive, with program order
  // and with a call's first end before its last one.  For a pending call,
  // what stands at its last end is not looked at.
  std::array<std::uint64_t, 2 * kMaxCalls> before;
  std::vector<SoloCall> first;  // before the threads
  std::vector<SoloCall> after;  // ... and after them

  void clear() {
    size = pending = 0;
    first.clear();
    after.clear();
  }
  bool is_pending(std::size_t i) const { return (pending >> i & 1) != 0; }
};

constexpr std::uint64_t first_end(std::size_t call) {
  return std::uint64_t{1} << (2 * call);
}
constexpr std::uint64_t last_end(std::size_t call) {
  return std::uint64_t{2} << (2 * call);
}

// Adds program order, puts first ends before last ones, and closes `before`
// under transitivity: for those who know the order in parts only.
inline void close_order(CallTrace& trace) {
  const std::size_t ends = 2 * trace.size;
  for (std::size_t i = 0; i < trace.size; ++i) {
    trace.before[2 * i + 1] |= first_end(i);
    if (i > 0 && trace.thread[i] == trace.thread[i - 1]) {
      trace.before[2 * i] |= last_end(i - 1);
    }
  }
  for (std::size_t middle = 0; middle < ends; ++middle) {
    for (std::size_t end = 0; end < ends; ++end) {
      if (trace.before[end] >> middle & 1) {
        trace.before[end] |= trace.before[middle];
      }
    }
  }
}

}  // namespace plumb::harness
