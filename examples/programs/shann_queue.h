// SPDX-License-Identifier: Apache-2.0
// The array queue of Shann, Huang and Chen.
//
// Source: C.-H. Shann, T.-L. Huang, C. Chen, A practical nonblocking queue
// algorithm using compare-and-swap, ICPADS 2000.  The fault and its repair: R.
// Colvin, L. Groves, Formal verification of an array-based nonblocking queue,
// ICECCS 2005.
//
// kSize slots, each with a count beside its item, and two counters that say
// where the next item goes in and comes out.  A dequeue reads the slot first
// and asks afterwards whether the queue is empty.  If an item arrives in
// between, the slot that it read as free looks like one that others have
// emptied, so it helps them and moves the front past the item: lost.  An
// enqueue has the same fault when the queue was full.  Asking first mends both.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

template <std::uint32_t kSize, bool kAskFirst>
class ShannQueue {
 public:
  // False if it is full.
  bool enq(int value) {
    while (true) {
      std::uint32_t rear = rear_.load(std::memory_order_seq_cst);
      if (kAskFirst && is_full(rear)) return false;
      Slot slot = slots_[rear % kSize].load(std::memory_order_seq_cst);
      if (rear != rear_.load(std::memory_order_seq_cst)) continue;
      if (!kAskFirst && is_full(rear)) return false;
      const bool done = slot.item == 0 && change(rear, slot, value);
      if (done || slot.item != 0) rear_.compare_exchange_strong(rear, rear + 1);
      if (done) return true;
    }
  }

  std::optional<int> deq() {
    while (true) {
      std::uint32_t front = front_.load(std::memory_order_seq_cst);
      if (kAskFirst && is_empty(front)) return std::nullopt;
      Slot slot = slots_[front % kSize].load(std::memory_order_seq_cst);
      if (front != front_.load(std::memory_order_seq_cst)) continue;
      if (!kAskFirst && is_empty(front)) return std::nullopt;
      const bool done = slot.item != 0 && change(front, slot, 0);
      if (done || slot.item == 0) {
        front_.compare_exchange_strong(front, front + 1);
      }
      if (done) return slot.item;
    }
  }

 private:
  struct alignas(8) Slot {
    std::int32_t item = 0;  // 0: free
    std::uint32_t count = 0;
  };

  bool is_full(std::uint32_t rear) const {
    return rear == front_.load(std::memory_order_seq_cst) + kSize;
  }
  bool is_empty(std::uint32_t front) const {
    return front == rear_.load(std::memory_order_seq_cst);
  }
  bool change(std::uint32_t place, Slot from, int to) {
    return slots_[place % kSize].compare_exchange_strong(
        from, Slot{to, from.count + 1});
  }

  std::array<std::atomic<Slot>, kSize> slots_{};
  std::atomic<std::uint32_t> front_{0}, rear_{0};
};
