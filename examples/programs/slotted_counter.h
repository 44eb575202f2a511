// SPDX-License-Identifier: Apache-2.0
// A counter with a slot for each thread: nobody else writes it.
//
// Source: folklore; J. Aspnes, M. Herlihy, Wait-free data structures in the
// asynchronous PRAM model, SPAA 1990.
//
// Linearizable, since slots only grow, and by one: a sum of slots that are read
// one after another is what the counter was at some moment in between.  Threads
// that share a slot lose increments.
#pragma once

#include <plumb/test.h>

#include <array>
#include <atomic>
#include <cstddef>

struct SlottedCounterOptions {
  bool share = false;  // all threads have the same slot
};

template <SlottedCounterOptions kOptions = SlottedCounterOptions{}>
class SlottedCounter {
 public:
  void inc() {
    const int thread = kOptions.share ? 0 : plumb::thread();
    std::atomic<int>& mine = slots_[static_cast<std::size_t>(thread)];
    mine.store(mine.load() + 1);
  }

  int get() const {
    int sum = 0;
    for (const std::atomic<int>& slot : slots_) sum += slot.load();
    return sum;
  }

 private:
  // Two threads, and the main thread.
  std::array<std::atomic<int>, 3> slots_{};
};
