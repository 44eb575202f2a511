// SPDX-License-Identifier: Apache-2.0
// A pair of words behind a sequence lock: readers do not write.
//
// Source: C. Lameter, Effective synchronization on Linux/NUMA systems, Gelato
// 2005; H.-J. Boehm, Can seqlocks get along with programming language memory
// models?, MSPC 2012.
//
// A writer makes the number odd, writes, and makes it even again.  A reader
// that finds the same even number before and after has read a pair that was
// there.  Linearizable.  Without the second look, halves of two writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

template <bool kLookAgain = true>
class SeqLockPair {
 public:
  void write(int value) {
    std::uint32_t number = number_.load(std::memory_order_relaxed);
    do {
      number &= ~1U;  // waits for another writer
    } while (!number_.compare_exchange_weak(number, number + 1,
                                            std::memory_order_acq_rel,
                                            std::memory_order_relaxed));
    first_.store(value, std::memory_order_release);
    second_.store(-value, std::memory_order_release);
    number_.store(number + 2, std::memory_order_release);
  }

  // A value and its negative.
  std::pair<int, int> read() const {
    while (true) {
      const std::uint32_t number = number_.load(std::memory_order_acquire);
      if (number % 2 != 0) continue;
      const int first = first_.load(std::memory_order_acquire);
      const int second = second_.load(std::memory_order_acquire);
      if (!kLookAgain || number == number_.load(std::memory_order_relaxed)) {
        return {first, second};
      }
    }
  }

 private:
  std::atomic<std::uint32_t> number_{0};
  std::atomic<int> first_{0}, second_{0};
};

// What it must do, one call at a time.
struct PlainPair {
  int value = 0;

  void write(int other) { value = other; }
  std::pair<int, int> read() const { return {value, -value}; }
};
