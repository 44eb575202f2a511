// SPDX-License-Identifier: Apache-2.0
// Threads of the code under test as fibers: who runs, who waits, who ended.
//
// Everything here happens on one thread of the operating system.  Code of a
// test calls into the runtime by hooks (hooks.cpp, sync.cpp, ...); a hook
// announces what it is about to do, is given the word by the scheduler, does
// it, and says what it did.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/event.h"
#include "sched/scheduler.h"

namespace plumb::runtime {

using sched::Event;
using sched::Kind;
using sched::ThreadId;
using sched::ThreadMask;

// What ends an execution early, or is found at its end.
enum class Fault : std::uint8_t {
  kNone,
  kAssertion,  // assert(), PLUMB_ASSERT, abort()
  kException,  // an exception that nobody caught
  kCrash,      // a signal
  kUseAfterFree,
  kDoubleFree,  // or of what was never allocated
  kOverflow,    // an access beyond a heap block
  kLeak,
  kRace,  // a data race
  kDeadlock,
  kLivelock,
  kMisuse,  // of a mutex, a thread, ...: undefined behaviour
  kStackOverflow,
  kOutOfMemory,
  kUnsupported,  // what we cannot do: not a verdict
  kDiverged,     // the same schedule gave other events: not a verdict
  kStepLimit,    // not a fault: the run was longer than allowed
};

struct Finding {
  Fault fault = Fault::kNone;
  ThreadId thread = 0;
  char text[192] = {};         // a clause, for people
  std::uintptr_t address = 0;  // of the memory it is about, if any
  std::uint32_t size = 0;
  // The other party: who raced, freed, allocated.
  ThreadId other = sched::kNoThread;
  std::uintptr_t pc = 0;  // where it happened
  std::uintptr_t other_pc = 0;
};

// Is the code that runs now a thread of an execution?  Hooks that see false
// behave as if there were no runtime.  The runtime's own code runs with false.
// Hidden, so that finding it takes no look-up.
extern bool active __attribute__((visibility("hidden")));

// The audit (audit.h): is it on?  What it opened for us is closed; but for the
// stack that we run on, unless we are about to leave.
namespace audit {
extern bool on __attribute__((visibility("hidden")));
}  // namespace audit
void audit_close();
void audit_leave();

// Makes `active` false for the runtime's own work on a thread's fiber.
class OwnWork {
 public:
  OwnWork() : was_(active) { active = false; }
  // The test may go on right after it, as after malloc(): no event closes what
  // is open.
  ~OwnWork() {
    active = was_;
    if (__builtin_expect(audit::on, 0)) was_ ? audit_leave() : audit_close();
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  bool was_;
};

// The thread that runs now.  Requires: active.
ThreadId self();

// Has code asked which thread it is run by, or what that is called?  Then it
// may do other things in another one.  Never made false here.
inline bool thread_was_asked = false;
// Did an execution read a clock again, where others could have run meanwhile?
// Likewise.
inline bool times_were_compared = false;

// Does only one thread live, all others being joined or not yet begun?  Then
// nothing that it does can be told from another order, and it need not be
// announced.
bool alone();

// Waits until it is this thread's turn.  After it the hook does what `event`
// says, without calling other hooks, and calls did() with what came out.
void announce(const Event& event);

// The same for what must wait until `enabled(object)`.  The predicate is asked
// whenever somebody is to be picked; it looks at the runtime's own memory and
// changes nothing.
using Predicate = bool (*)(const void* object);
void announce_when(const Event& event, Predicate enabled, const void* object);

// `event` was done by this thread.
void did(const Event& event);

// The same for who fills in its event, and later amends it, where it is kept
// (Fiber::next): atomic operations do, being most of all events.
void announce_next();
void announce_next_in_loop();  // here loops are noticed
void did_next();

// One of 0 .. bound-1, all of which the search tries.
inline constexpr std::uint32_t kMostChoices = 64;
std::uint32_t choose(std::uint32_t bound);

// What may fail, or end, for no reason.  Each thread meets at most so many of
// each kind in one execution.
enum class Spurious : std::uint8_t { kCas, kWake };
inline constexpr std::uint8_t kMostSpurious = 1;
// Does what this thread does now, in its turn, fail for no reason?  `event` is
// told, and is what did() or did_next() is to be given.
bool fails_spuriously(Spurious kind, Event& event);

// Starts a thread of the test; `entry(argument)` is all that it does.  It runs
// up to its first event before this returns.
ThreadId spawn(void* (*entry)(void*), void* argument);
// The number that it will have.
ThreadId next_thread();
std::uint32_t threads_so_far();  // of this execution
std::uint32_t events_so_far();
bool has_ended(ThreadId thread);
// Somebody asks whether a thread has ended, and does not wait for it: that it
// ends is an event, from now on in all executions.
void watch_ends();
void* result_of(ThreadId thread);
// This thread ends here, from whatever depth.
[[noreturn]] void exit_thread(void* result);
// After a join: nobody will ask for it again.
void forget(ThreadId thread);
// Waits until all other threads have ended, and forgets them.
void wait_for_all();
// The events of this thread since it last called begin_span(), by their numbers
// in the execution.
struct Span {
  std::uint32_t first = UINT32_MAX;  // UINT32_MAX: there were none
  std::uint32_t last = 0;
  bool touches = false;  // did hooks tell of memory that others may see?
};
void begin_span();
Span span();
// That of another thread, which may still be at it.
Span span_of(ThreadId thread);

// Ends the execution with a finding.  Called on the fiber of a thread.
[[noreturn]] void fail(const Finding& finding);
// The same with printf's notation.
[[noreturn]] void fail(Fault fault, std::uintptr_t pc, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Ends the execution, of which nothing is to be told.
[[noreturn]] void leave_execution();

// The number of the current execution, from 1: to tell old entries of tables
// from those of this execution without emptying them.
extern std::uint32_t run_number;

// The stack of a thread's fiber: addresses from `low` on.
struct Stack {
  std::uintptr_t low = 0;
  std::size_t size = 0;
};
// Where it ends, unless the thread runs.
std::uintptr_t saved_stack_pointer(ThreadId thread);
// Others look at this one, from now on in all executions.  What its thread did
// to it so far was not watched, so this execution is done once more.
void share_stack(ThreadId thread);

// All memory of the test that the runtime owns lies here, stacks first.
inline constexpr std::uintptr_t kRegion = 0x300000000000;
// A stack is as large as those of the system usually are.  Much below it is
// out of bounds, so that a large frame does not reach into another stack.
inline constexpr std::size_t kStackBytes = std::size_t{8} << 20;
inline constexpr std::size_t kStackRoom = 8 * kStackBytes;  // of each thread
inline Stack stack_of(ThreadId thread) {
  return {kRegion + (thread + 1u) * kStackRoom - kStackBytes, kStackBytes};
}
inline constexpr std::uintptr_t kHeap =
    kRegion + sched::kMaxThreads * kStackRoom;
inline constexpr std::size_t kHeapBytes = std::size_t{64} << 20;  // each
inline constexpr std::size_t kRegionBytes =
    sched::kMaxThreads * (kStackRoom + kHeapBytes);

}  // namespace plumb::runtime
