// SPDX-License-Identifier: Apache-2.0
// The quasi stack of Round-Up, which is a plain stack, and its two bugs.
//
// Source: L. Zhang, A. Chattopadhyay, C. Wang, Round-Up: runtime verification
// of quasi linearizability for concurrent data structures, IEEE TSE 41(12),
// 2015, which tells what these do but does not print them.
//
// An array with a lock.  Right, it pops the last item: linearizable, and so
// quasi-linearizable for any factor.  b1 says "empty" though it is not: it
// takes the last item for the bottom.  b2 may pop any item, so also one that is
// more than two places below the top.
#pragma once

#include <plumb/test.h>

#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

enum class QuasiStackBug { kNone, kEmpty, kFarAway };

template <QuasiStackBug kBug = QuasiStackBug::kNone>
class QuasiStack {
 public:
  void push(int value) {
    const std::lock_guard guard(lock_);
    items_.push_back(value);
  }

  std::optional<int> pop() {
    const std::lock_guard guard(lock_);
    const std::size_t bottom = kBug == QuasiStackBug::kEmpty ? 1 : 0;
    if (items_.size() <= bottom) return std::nullopt;
    std::uint32_t below = 0;
    if (kBug == QuasiStackBug::kFarAway) {
      below = plumb::choose(static_cast<std::uint32_t>(items_.size()));
    }
    const auto item = std::prev(items_.end(), 1 + below);
    const int value = *item;
    items_.erase(item);
    return value;
  }

 private:
  std::mutex lock_;
  std::vector<int> items_;  // the last one is on top
};
