// SPDX-License-Identifier: Apache-2.0
// A priority queue that gives out its kSegment smallest items in any order.
//
// Source: the segment queue of Y. Afek, G. Korland, E. Yanovsky, OPODIS 2010,
// for priorities, as in Round-Up (L. Zhang, A. Chattopadhyay, C. Wang, IEEE TSE
// 41(12), 2015), which does not print it.
//
// A removal opens a segment, the kSegment smallest items, and the next ones
// empty it in any order: none is more than kSegment - 1 places from where a
// priority queue would have it, quasi(remove_min=kSegment-1).  An insertion
// waits while a segment is open.  It has to: else a smaller item could come in
// before each removal, and one that went out too early would never be in time.
//
// b2 removes any item, so also one more than kSegment - 1 places away.
#pragma once

#include <plumb/test.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

template <std::uint32_t kSegment, bool kFarAway = false>
class QuasiPriorityQueue {
 public:
  void insert(int value) {
    std::unique_lock guard(lock_);
    closed_.wait(guard, [this] { return open_ == 0; });
    items_.insert(std::upper_bound(items_.begin(), items_.end(), value), value);
  }

  std::optional<int> remove_min() {
    const std::lock_guard guard(lock_);
    if (items_.empty()) return std::nullopt;
    const auto size = static_cast<std::uint32_t>(items_.size());
    if (open_ == 0) open_ = std::min(kSegment, size);
    const auto item =
        std::next(items_.begin(), plumb::choose(kFarAway ? size : open_));
    const int value = *item;
    items_.erase(item);
    if (--open_ == 0) closed_.notify_all();
    return value;
  }

 private:
  std::mutex lock_;
  std::condition_variable closed_;
  std::vector<int> items_;  // the smallest first
  std::uint32_t open_ = 0;  // so many of the first are the open segment
};
