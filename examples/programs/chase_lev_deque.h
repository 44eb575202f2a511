// SPDX-License-Identifier: Apache-2.0
// Chase and Lev's work-stealing deque, with an array that does not grow.
//
// Source: D. Chase, Y. Lev, Dynamic circular work-stealing deque, SPAA 2005; N.
// M. Le, A. Pop, A. Cohen, F. Zappa Nardelli, Correct and efficient
// work-stealing for weak memory models, PPoPP 2013.
//
// The owner pushes and takes at the bottom, thieves steal at the top.  They
// compete only for the last item; then the top decides, by a swap.
// Linearizable: a deque whose owner is at the back.  A steal that loses its
// swap tries again here, so that it says "empty" only when it is.
//
// Bugs: a take of the last item that does not ask the top; a steal that reads
// its item after the swap, when the owner may have put another one there; a
// push that believes the first top it reads, though its own last item may not
// be seen by thieves yet: then the deque is full for the owner and empty for a
// thief.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

struct ChaseLevOptions {
  bool take_swaps = true;
  bool read_first = true;
  bool fence_when_full = true;
};

template <std::size_t kSize, ChaseLevOptions kOptions = ChaseLevOptions{}>
class ChaseLevDeque {
 public:
  // False if it is full.
  bool push(int value) {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (is_full(bottom)) return false;
    item(bottom).store(value, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  std::optional<int> take() {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      bottom_.store(top, std::memory_order_relaxed);
      return std::nullopt;
    }
    const int value = item(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return value;
    const bool won = claim(top);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    if (!won) return std::nullopt;
    return value;
  }

  std::optional<int> steal() {
    while (true) {
      std::int64_t top = top_.load(std::memory_order_seq_cst);
      if (top >= bottom_.load(std::memory_order_seq_cst)) return std::nullopt;
      int value = item(top).load(std::memory_order_relaxed);
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        continue;
      }
      if (!kOptions.read_first) {
        value = item(top).load(std::memory_order_relaxed);
      }
      return value;
    }
  }

 private:
  bool is_full(std::int64_t bottom) const {
    const auto looks_full = [&] {
      return bottom - top_.load(std::memory_order_acquire) >= kLength;
    };
    if (!looks_full()) return false;
    if (!kOptions.fence_when_full) return true;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return looks_full();
  }

  bool claim(std::int64_t top) {
    if (!kOptions.take_swaps) {
      top_.store(top + 1, std::memory_order_seq_cst);
      return true;
    }
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }

  std::atomic<int>& item(std::int64_t place) {
    return items_[static_cast<std::size_t>(place % kLength)];
  }

  static constexpr auto kLength = static_cast<std::int64_t>(kSize);

  std::array<std::atomic<int>, kSize> items_{};
  std::atomic<std::int64_t> top_{0}, bottom_{0};
};
