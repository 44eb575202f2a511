// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what of every thread is known to have happened.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/event.h"

namespace plumb::runtime {

using Clock = std::int32_t;

// Entry t says how much of thread t happened before.  Entries are walked four
// at a time, with one instruction each; most executions have no more threads,
// so every walk is told how many fours are in use.  The rest stay 0.
struct VectorClock {
  using Four = Clock __attribute__((vector_size(16)));
  static constexpr std::size_t kFours = sched::kMaxThreads / 4;

  static constexpr Four kUnits[4] = {
      {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

  Four four[kFours];

  static constexpr std::size_t fours_for(std::size_t threads) {
    return (threads + 3) / 4;
  }

  Clock at(std::size_t thread) const { return four[thread / 4][thread % 4]; }
  void set(std::size_t thread, Clock clock) {
    four[thread / 4][thread % 4] = clock;
  }
  // All four are written, so that a walk that follows at once need not wait
  // for a part of what it reads.
  void tick(std::size_t thread) { four[thread / 4] += kUnits[thread % 4]; }

  void clear(std::size_t fours = kFours) {
    for (std::size_t i = 0; i < fours; ++i) four[i] = Four{};
  }

  void copy(const VectorClock& other, std::size_t fours) {
    for (std::size_t i = 0; i < fours; ++i) four[i] = other.four[i];
  }

  void join(const VectorClock& other, std::size_t fours) {
    for (std::size_t i = 0; i < fours; ++i) {
      four[i] = four[i] > other.four[i] ? four[i] : other.four[i];
    }
  }
};

// Memory orders, as compilers number them.  Consume is acquire, as it is in
// every compiler.
constexpr bool acquires(int order) {
  return order != 0 && order != 3;
}
constexpr bool releases(int order) {
  return order >= 3;
}

}  // namespace plumb::runtime
