// SPDX-License-Identifier: Apache-2.0
// Herlihy and Wing's queue: an array without end, filled from the left.
//
// Source: M. P. Herlihy, J. M. Wing, Linearizability: a correctness condition
// for concurrent objects, ACM TOPLAS 12(3), 1990.
//
// An enqueue draws a place and fills it later; a dequeue looks from the left
// for the first place that is filled, again and again.  Linearizable, but with
// no fixed points: which of two enqueues came first may be settled only by a
// dequeue that comes later.
//
// A dequeue of the empty queue waits for ever.  One that gives up after one
// round passes by a place that is filled a moment later, takes nothing from the
// places behind it that were empty then, and says "empty" though the queue
// never was: not linearizable, but quiescent consistent.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

template <bool kGiveUp = false>
class HerlihyWingQueue {
 public:
  void enq(int value) {
    const std::size_t place = end_.fetch_add(1, std::memory_order_acq_rel);
    items_[place].store(value, std::memory_order_release);
  }

  std::optional<int> deq() {
    do {
      const std::size_t end = end_.load(std::memory_order_acquire);
      for (std::size_t place = 0; place < end; ++place) {
        const int item = items_[place].exchange(0, std::memory_order_acq_rel);
        if (item != 0) return item;
      }
    } while (!kGiveUp);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kSize = 8;  // enough for the tests

  std::array<std::atomic<int>, kSize> items_{};  // 0: not filled, or taken
  std::atomic<std::size_t> end_{0};
};
