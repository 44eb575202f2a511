// SPDX-License-Identifier: Apache-2.0
// Notices when a thread comes back to a place in its code: a loop.
//
// Whether an iteration of a retry loop was in vain cannot be told from here:
// somebody else is asked (LoopGuard), with what the thread did so far.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/core.h"

namespace plumb::runtime {

// One event of a thread since begin_span().
struct LoopStep {
  std::uint64_t site = 0;
  std::uintptr_t address = 0;
  std::uint64_t value = 0;
  std::uint64_t stack = 0;   // the stack pointer
  std::uint32_t number = 0;  // in the execution
  std::uint32_t size = 0;
  Kind kind = Kind::kRead;
  bool writes = false;  // this, or beside it what LoopWrite tells
};

inline constexpr std::uint32_t kMaxLoopSteps = 256;

// A write that is no event, or beside what an event says, of a thread that had
// done so many.
struct LoopWrite {
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  std::uint32_t step = 0;
};

inline constexpr std::uint32_t kMaxLoopWrites = 256;

// What decides how a thread goes on: registers that calls preserve, the stack
// pointer, the arguments of the operation that is about to happen.
struct Registers {
  std::uint64_t word[12] = {};
  std::uint64_t stack_pointer() const { return word[6]; }
};

// A loop that a thread was let go round in.
struct LoopRound {
  std::uint32_t distance = 0;  // so many events; 0: none
  std::uint64_t stack = 0;     // the stack pointer
  bool was_left = false;
};

// The events of a thread's current call.
struct LoopLog {
  std::uint32_t count = 0;  // more than kMaxLoopSteps: not all are there
  LoopStep steps[kMaxLoopSteps];
  // A hash of all that the thread has seen so far, and of what its writes
  // found; of who started it, and of whom it joined.
  std::uint64_t past = 0;
  // The same of what it observed since it began its call, or was last anchored
  // (anchor()): code that is the same until then goes on in the same way if it
  // observes the same.  What stores find is no part of it.
  std::uint64_t observed = 0;
  std::uintptr_t base = 0;   // where the stack of the call begins
  std::uint64_t unseen = 0;  // what it did that no picture of memory shows
  bool is_blind = false;     // `past` is not all that it has seen
  Registers entry;           // at the last point where loops are noticed,
  std::uint32_t entry_at = UINT32_MAX;  // which was at this position
  LoopRound round;                      // the last one
  // The last writes; number n is at n % kMaxLoopWrites.
  std::uint32_t write_count = 0;
  LoopWrite writes[kMaxLoopWrites];
};

enum class LoopAnswer : std::uint8_t {
  kGoOn,
  kCut,  // the thread stays where it is for ever
  kAsk,  // not known: this execution is abandoned to find out
};

// `thread` is about to do at position `to` of its call what it did at `from`;
// or it has left the loop whose rounds are that long.
struct LoopQuestion {
  ThreadId thread = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Event next;
  bool was_left = false;
};

class LoopGuard {
 public:
  virtual ~LoopGuard() = default;
  virtual LoopAnswer at_repeat(const LoopQuestion& question) = 0;
  // A weak compare-exchange is about to succeed.  If it failed for no reason,
  // would its thread only try again?  kCut: it would.
  virtual LoopAnswer at_weak_success(const Event& event) = 0;
  // A thread is where loops are noticed, with these registers (LoopLog::entry).
  virtual void at_point(ThreadId) {}
};

// This thread did something that memory does not show: read a clock, say.
void note_unseen();
// This thread got to know something that is no event and in no memory.
void note_seen(std::uint64_t value);
// The same, and nobody knows what it was: its loops are not cut any more.
void note_blind();

// The thread that runs got to know something that others did not decide: the
// address of memory that it was given.
void note_given(std::uint64_t value);
// All that decides how the thread goes on, but for memory that others see, is
// in this number.
void anchor(ThreadId thread, std::uint64_t where);
// May a weak compare-exchange fail for no reason once after each anchor, and
// not once in an execution?
extern bool fails_after_anchors;

// What threads find on their stacks when they start in the next executions:
// these bytes at the top.  No right program can tell.
struct FirstStack {
  ThreadId thread = sched::kNoThread;
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
};
extern std::span<const FirstStack> first_stacks;

// Null: loops are let run.
extern LoopGuard* loop_guard __attribute__((visibility("hidden")));
const LoopLog& loop_log(ThreadId thread);

}  // namespace plumb::runtime
