// SPDX-License-Identifier: Apache-2.0
// How much time and memory a run may still use, and whether it was stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plumb {

enum class Limit : std::uint8_t { kNone, kTime, kMemory, kSteps, kInterrupt };

// Shared by all that works on one run.  A search asks spent() at every step:
// that costs a decrement, except that every so often it looks at the clock,
// at the process's memory and at the interrupt flag.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  Budget() = default;
  Budget(Clock::time_point deadline, std::size_t memory_bytes)
      : deadline_(deadline), memory_bytes_(memory_bytes) {}

  // Without limits, and an interrupt does not end it: for short work that must
  // not be left half done.
  static Budget deaf() {
    Budget budget;
    budget.is_deaf_ = true;
    return budget;
  }
  // All the time that there is, with the same memory: whoever asks it makes
  // room there, and goes on.
  Budget for_memory() const {
    Budget budget = deaf();
    budget.memory_bytes_ = memory_bytes_;
    return budget;
  }
  // A smaller budget for a part of the work: at most this many steps.
  Budget with_steps(std::uint64_t steps) const;
  // As many steps as time and memory allow, for work that others count.
  Budget without_steps() const;

  // Has a limit been reached?  Counts one step.  Once true, it stays true.
  bool spent() {
    if (--until_look_ > 0) return false;
    return look();
  }
  // The same for a caller that waits: looks at once.
  bool spent_now() {
    until_look_ = 1;
    return spent();
  }
  Limit limit() const { return limit_; }
  // "the time limit of 5 s was reached", "interrupted".
  std::string describe_limit() const;

  // Set by the signal handler; every budget of the process sees it, unless
  // it is deaf().
  static std::atomic<bool> interrupted;
  // Is something being written that must not be left half done?  Then an
  // interrupt waits for its end.
  static std::atomic<int> saving;
  // Steps of all budgets of the process, roughly: for progress lines.
  static std::atomic<std::uint64_t> steps_of_all;

 private:
  bool look();
  void pace();

  Clock::time_point start_ = Clock::now();
  Clock::time_point last_look_ = start_;
  std::int32_t between_looks_ = 16;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::size_t memory_bytes_ = SIZE_MAX;
  std::uint64_t steps_ = UINT64_MAX;  // left, not counting until_look_
  Limit limit_ = Limit::kNone;
  std::int32_t until_look_ = 1;
  bool is_deaf_ = false;
};

// Between two looks memory grows, and pages come 2 MiB at a time: who wants to
// stay below a limit stops so far before it.
std::size_t distance_to(std::size_t limit);

// The resident memory of this process, now and at most so far.
std::size_t resident_bytes();
std::size_t peak_resident_bytes();

}  // namespace plumb
