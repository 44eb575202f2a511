// SPDX-License-Identifier: Apache-2.0
// A small program of calls that synchronise, made at random.
#pragma once

#include <cstdint>

enum class Call : std::uint8_t {
  kLock,
  kUnlock,
  kTryLock,
  kTimedLock,
  kWait,
  kTimedWait,
  kSignal,
  kBroadcast,
  kUnlockAndSignal,
  kReadLock,
  kWriteLock,
  kSharedUnlock,
  kTryReadLock,
  kTryWriteLock,
  kDown,
  kUp,
  kTryDown,
  kTimedDown,
  kValue,
  kBarrier,
  kFutexWait,
  kFutexTimedWait,
  kFutexWakeOne,
  kFutexWakeAll,
  kStore,
  kLoad,
};

struct RandomProgram {
  static constexpr int kThreads = 3;
  static constexpr int kCalls = 5;
  int threads = 0;
  int counts[kThreads] = {};
  Call calls[kThreads][kCalls] = {};
};

// What crosses the border between the library, which runs the program in every
// way, and the executable, which is the code under test.
extern "C" {
const RandomProgram* given_program();
// `body` runs the program; `results` tells afterwards what its calls returned.
void give_body(void (*body)(), const char* (*results)());
}
