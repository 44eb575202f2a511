// SPDX-License-Identifier: Apache-2.0
// IQueue: a queue in an array whose dequeue may find nothing in a full queue.
//
// Source: the buggy queue of L. Zhang, A. Chattopadhyay, C. Wang, Round-Up:
// runtime verification of quasi linearizability for concurrent data structures,
// IEEE TSE 41(12), 2015, which tells its bug but does not print it.
//
// An enqueue draws a place and fills it later.  A dequeue looks at the first
// place only: if that is drawn but not yet filled, it says "empty", even if the
// places behind it are full.  Not linearizable: the enqueue behind has returned
// by then.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

class IQueue {
 public:
  void enq(int value) {
    const std::size_t place = end_.fetch_add(1, std::memory_order_acq_rel);
    items_[place].store(value, std::memory_order_release);
  }

  std::optional<int> deq() {
    std::size_t first = first_.load(std::memory_order_acquire);
    while (first < end_.load(std::memory_order_acquire)) {
      const int item = items_[first].load(std::memory_order_acquire);
      if (item == 0) return std::nullopt;
      if (first_.compare_exchange_strong(first, first + 1,
                                         std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
        return item;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kSize = 8;  // enough for the tests

  std::array<std::atomic<int>, kSize> items_{};  // 0: not filled
  std::atomic<std::size_t> first_{0}, end_{0};
};
