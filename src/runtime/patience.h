// SPDX-License-Identifier: Apache-2.0
// A watchdog: leaves executions whose code does not come back in time.
//
// A signal looks at the code under test twenty times a second of real time,
// whatever that does: runs in circles without an event, waits in a call of the
// system, or for a lock that an execution left behind.
#pragma once

#include <chrono>
#include <cstdint>

namespace plumb::runtime {

// From here on in this process; what it forks has no ticks.
void start_ticks();
void stop_ticks();
// For debuggers, in which time passes while nothing runs: there are none.
void forbid_ticks();

// There was a tick since this was set to false: time to look at clocks.
extern bool ticked __attribute__((visibility("hidden")));

// Why an execution was left, since this was set to kNot.
enum class Left : std::uint8_t {
  kNot,
  kLate,  // past the latest end, or after an interrupt
  kLost,  // the same, and its last step had taken long
  kLong,  // it did not come to its next step for very long: a finding
};
extern Left left __attribute__((visibility("hidden")));

// An execution was left in the middle of a library that was not compiled along:
// where, or 0.  What that library keeps for its threads is not put back, so all
// executions after it, in this process, may be wrong.
extern std::uintptr_t spoilt_at __attribute__((visibility("hidden")));
// The thread is left at `pc`.
void note_left_at(std::uintptr_t pc);

// While it lives, executions that run at this moment are left.  The earlier of
// several counts.
class LatestEnd {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LatestEnd(Clock::time_point moment);
  ~LatestEnd();
  LatestEnd(const LatestEnd&) = delete;
  LatestEnd& operator=(const LatestEnd&) = delete;

 private:
  std::int64_t before_;
};

// While it lives, a call of the system that the runtime makes for the test may
// be left: in handlers of signals, where ticks wait otherwise.
class MayBeLeft {
 public:
  MayBeLeft();
  ~MayBeLeft();
  MayBeLeft(const MayBeLeft&) = delete;
  MayBeLeft& operator=(const MayBeLeft&) = delete;

 private:
  bool was_;
  std::uint64_t mask_ = 0;
};

// While it lives, ticks wait: for calls that a signal ends (EINTR), and that do
// not take long.
class WithoutTicks {
 public:
  WithoutTicks();
  ~WithoutTicks();
  WithoutTicks(const WithoutTicks&) = delete;
  WithoutTicks& operator=(const WithoutTicks&) = delete;

 private:
  std::uint64_t mask_ = 0;
};

}  // namespace plumb::runtime
