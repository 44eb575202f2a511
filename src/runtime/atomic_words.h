// SPDX-License-Identifier: Apache-2.0
// Atomics of up to 16 bytes: what hooks do outside of executions.
//
// And what events hold of their values.
#pragma once

#include <cstdint>

#include "runtime/core.h"
#include "runtime/fibers.h"

namespace plumb::runtime {

// Outside of executions operations are really atomic.  Sixteen bytes have only
// compare-and-swap.
template <typename T>
T real_swap(volatile T* pointer, T expected, T desired) {
  return __sync_val_compare_and_swap(pointer, expected, desired);
}
template <typename T>
T real_load(const volatile T* pointer) {
  if constexpr (sizeof(T) == 16) {
    return real_swap(const_cast<volatile T*>(pointer), T{0}, T{0});
  } else {
    return __atomic_load_n(pointer, __ATOMIC_SEQ_CST);
  }
}
template <typename T, typename Change>
T real_update(volatile T* pointer, Change change) {
  T seen = real_load(pointer);
  for (;;) {
    const T found = real_swap(pointer, seen, static_cast<T>(change(seen)));
    if (found == seen) return seen;
    seen = found;
  }
}

template <typename T>
std::uint64_t low_word(T value) {
  return static_cast<std::uint64_t>(value);
}

// 0 if there are no high words, else never.
template <typename T>
std::uint64_t high_words(T before, T after) {
  if constexpr (sizeof(T) == 16) {
    return mix(static_cast<std::uint64_t>(before >> 64),
               static_cast<std::uint64_t>(after >> 64)) |
           1;
  } else {
    return 0;
  }
}

}  // namespace plumb::runtime
