// SPDX-License-Identifier: Apache-2.0
// A queue from two diffracting trees over two queues.
//
// Source: N. Shavit, A. Zemach, Diffracting trees, ACM TOCS 14(4), 1996; J.
// Derrick, B. Dongol, G. Schellhorn, B. Tofan, O. Travkin, H. Wehrheim,
// Quiescent consistency: defining and verifying relaxed linearizability, FM
// 2014.
//
// A toggle bit for each end (a tree of depth 1, its prisms left out) sends the
// calls to the two queues in turn.  An enqueue that has toggled but not yet put
// its item in is overtaken by the next one: not linearizable.  When nobody is
// inside, the items of the two queues in turn are those of a queue: quiescent
// consistent, if a dequeue waits for its item.  One that does not wait has used
// up its turn all the same: not even right when one call runs at a time.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

template <bool kWait>
class DiffractingQueue {
 public:
  void enq(int value) {
    Leaf& leaf = leaves_[enq_bit_.fetch_xor(1, std::memory_order_acq_rel)];
    const std::lock_guard guard(leaf.lock);
    leaf.items.push_back(value);
    leaf.filled.notify_one();
  }

  std::optional<int> deq() {
    Leaf& leaf = leaves_[deq_bit_.fetch_xor(1, std::memory_order_acq_rel)];
    std::unique_lock guard(leaf.lock);
    if (kWait) leaf.filled.wait(guard, [&] { return !leaf.items.empty(); });
    if (leaf.items.empty()) return std::nullopt;
    const int value = leaf.items.front();
    leaf.items.pop_front();
    return value;
  }

 private:
  struct Leaf {
    std::mutex lock;
    std::condition_variable filled;
    std::deque<int> items;
  };

  std::atomic<unsigned> enq_bit_{0}, deq_bit_{0};
  std::array<Leaf, 2> leaves_;
};
