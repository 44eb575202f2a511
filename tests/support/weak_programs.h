// SPDX-License-Identifier: Apache-2.0
// Writes programs with memory orders.
#pragma once

#include <cstddef>
#include <vector>

#include "oracle/memory_models.h"

namespace plumb::test_support {

inline constexpr int kRelaxed = 0, kAcquire = 2, kRelease = 3, kBoth = 4,
                     kSc = 5;
inline constexpr int kX = 0, kY = 1, kZ = 2;

inline oracle::WeakStep load(int location, int order = kRelaxed) {
  return {.what = oracle::WeakStep::Do::kLoad,
          .location = location,
          .order = order};
}
inline oracle::WeakStep store(int location, int value, int order = kRelaxed) {
  return {.what = oracle::WeakStep::Do::kStore,
          .location = location,
          .order = order,
          .value = value};
}
inline oracle::WeakStep add(int location, int order = kRelaxed) {
  return {.what = oracle::WeakStep::Do::kAdd,
          .location = location,
          .order = order,
          .value = 1};
}
inline oracle::WeakStep compare_exchange(int location, int expected, int value,
                                         int order = kRelaxed,
                                         int failure = kRelaxed) {
  return {.what = oracle::WeakStep::Do::kCas,
          .location = location,
          .order = order,
          .failure = failure,
          .value = value,
          .expected = expected};
}
inline oracle::WeakStep fence(int order) {
  return {.what = oracle::WeakStep::Do::kFence, .order = order};
}
inline oracle::WeakStep lock(int location) {
  return {.what = oracle::WeakStep::Do::kLock, .location = location};
}
inline oracle::WeakStep unlock(int location) {
  return {.what = oracle::WeakStep::Do::kUnlock, .location = location};
}

// Steps without branches.
inline oracle::WeakProgram program(std::vector<oracle::WeakThread> threads) {
  for (oracle::WeakThread& thread : threads) {
    for (std::size_t i = 0; i + 1 < thread.size(); ++i) {
      thread[i].next[0] = thread[i].next[1] = static_cast<int>(i + 1);
    }
  }
  return threads;
}

}  // namespace plumb::test_support
