// SPDX-License-Identifier: Apache-2.0
// A register of kValues values from as many bits, with one writer.
//
// Source: L. Lamport, On interprocess communication, Distributed Computing 1,
// 1986; K. Vidyasankar, Converting Lamport's regular register to atomic
// register, Information Processing Letters 28, 1988.
//
// The value is the number of the lowest bit that is set.  A writer sets the bit
// of its value and clears those below, downwards.  Lamport's reader goes up to
// the first bit that is set: regular only, for of two reads during two writes
// the first may see the new value and the second the old one.  Vidyasankar's
// goes down again from there and returns the lowest bit that it saw set:
// linearizable.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

template <std::size_t kValues, bool kDownAgain = true>
class KValuedRegister {
 public:
  KValuedRegister() { bits_[0].store(true, std::memory_order_relaxed); }

  // `value`: 1 .. kValues; by one thread only.
  void write(int value) {
    auto bit = static_cast<std::size_t>(value) - 1;
    bits_[bit].store(true, std::memory_order_seq_cst);
    while (bit > 0) bits_[--bit].store(false, std::memory_order_seq_cst);
  }

  int read() const {
    std::size_t bit = 0;
    while (!bits_[bit].load(std::memory_order_seq_cst)) ++bit;
    std::size_t lowest = bit;
    if (kDownAgain) {
      while (bit > 0) {
        --bit;
        if (bits_[bit].load(std::memory_order_seq_cst)) lowest = bit;
      }
    }
    return static_cast<int>(lowest) + 1;
  }

 private:
  std::array<std::atomic<bool>, kValues> bits_{};
};

// What it must do, one call at a time.
struct PlainRegister {
  int value = 1;

  void write(int other) { value = other; }
  int read() const { return value; }
};
