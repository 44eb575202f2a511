// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque of Arora, Blumofe and Plaxton.
//
// Source: N. S. Arora, R. D. Blumofe, C. G. Plaxton, Thread scheduling for
// multiprogrammed multiprocessors, SPAA 1998.
//
// The owner pushes and takes at the bottom of an array, thieves steal at the
// top.  An owner who finds the deque empty starts at the beginning of the array
// again; a tag beside the top tells old tops from new ones.  Linearizable as a
// deque whose owner is at the back; a steal that loses its swap may give up in
// the paper, here it tries again.  Without the tag, a slow thief swaps a top
// that means another item by then.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

template <bool kTag = true>
class AbpDeque {
 public:
  void push(int value) {
    const std::uint32_t bottom = bottom_.load(std::memory_order_relaxed);
    items_[bottom].store(value, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_seq_cst);
  }

  std::optional<int> take() {
    std::uint32_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom == 0) return std::nullopt;
    --bottom;
    bottom_.store(bottom, std::memory_order_seq_cst);
    const int value = items_[bottom].load(std::memory_order_relaxed);
    Age age = age_.load(std::memory_order_seq_cst);
    if (bottom > age.top) return value;
    // It was the last one, or there is none: start again from the beginning.
    bottom_.store(0, std::memory_order_seq_cst);
    const Age fresh{0, age.tag + (kTag ? 1 : 0)};
    if (bottom == age.top &&
        age_.compare_exchange_strong(age, fresh, std::memory_order_seq_cst,
                                     std::memory_order_relaxed)) {
      return value;
    }
    age_.store(fresh, std::memory_order_seq_cst);
    return std::nullopt;
  }

  std::optional<int> steal() {
    while (true) {
      Age age = age_.load(std::memory_order_seq_cst);
      if (bottom_.load(std::memory_order_seq_cst) <= age.top) {
        return std::nullopt;
      }
      const int value = items_[age.top].load(std::memory_order_relaxed);
      if (age_.compare_exchange_strong(age, Age{age.top + 1, age.tag},
                                       std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
        return value;
      }
    }
  }

 private:
  struct alignas(8) Age {
    std::uint32_t top;
    std::uint32_t tag;
  };
  static constexpr std::size_t kSize = 8;  // enough for the tests

  std::array<std::atomic<int>, kSize> items_{};
  std::atomic<std::uint32_t> bottom_{0};
  std::atomic<Age> age_{Age{0, 0}};
};
