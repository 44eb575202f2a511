// SPDX-License-Identifier: Apache-2.0
// What happens once: pthread_once(), and the initialisation of variables that
// are static in a function.
//
// That it is done is written where the system writes it, so that it is undone
// with the rest of the test's data; who is at it is kept beside it.
// (Compiled with exceptions: what is to be done once may throw.)
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/graph_accesses.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"

namespace plumb::runtime {
namespace {

using Guard = std::int64_t;
using DoneFlag = std::uint8_t;  // the first byte of a guard

PLUMB_REAL(pthread_once);
constinit Real<int(Guard*)> real_guard_acquire{"__cxa_guard_acquire"};
constinit Real<void(Guard*)> real_guard_release{"__cxa_guard_release"};
constinit Real<void(Guard*)> real_guard_abort{"__cxa_guard_abort"};

// Waits for who is at it, if anybody.  Returns whether it is for this thread to
// do, which is then at it.
template <typename Flag>
bool begin(const Flag* flag, Flag done, const char* what, const void* pc) {
  SyncObject& object = object_at(flag);
  if (object.owner == self()) {
    fail(Fault::kMisuse, number_of(pc), "%s needs itself", what);
  }
  Turn turn(sync_event(Kind::kLock, object.address, true, pc), has_no_owner,
            &object, __ATOMIC_ACQUIRE);
  const bool is_done = *flag == done;
  // Who tried before, and failed, happened before this one, too.
  if (!alone()) races().acquire(self(), object.address);
  if (is_done) {
    turn.event.writes = false;
    turn.event.tries = true;
  } else {
    object.owner = self();
  }
  turn.done(is_done);
  return !is_done;
}

// In execution graphs, where it is an event of its own.
template <typename Flag>
void store_flag(Flag* flag, Flag value, const void* pc) {
  Event event = sync_event(Kind::kWrite, number_of(flag), true, pc);
  event.size = sizeof(Flag);
  event.value = event.seen = static_cast<std::uint64_t>(value);
  announce(event);
  globals_written(number_of(flag), sizeof(Flag));
  store_in_graph(flag, value, __ATOMIC_RELEASE, number_of(pc));
  tell_races();
  did(event);
}

template <typename Flag>
void end(Flag* flag, Flag value, const void* pc) {
  SyncObject& object = object_at(flag);
  const bool in_graph = graphs && can_be_noticed(object.address);
  if (in_graph) store_flag(flag, value, pc);
  Turn turn(sync_event(Kind::kUnlock, object.address, true, pc),
            __ATOMIC_RELEASE);
  object.owner = sched::kNoThread;
  if (!in_graph) store(flag, value);
  if (!alone()) {
    races().release(self(), object.address);
    // Compilers look at the flag by themselves, and acquire what they see.
    races().atomic_store(self(), object.address, sizeof(Flag),
                         graphs ? __ATOMIC_RELAXED : __ATOMIC_RELEASE,
                         number_of(pc));
  }
  turn.done();
}

constexpr const char* kVariable = "the initialisation of a static variable";
constexpr const char* kOnce = "what pthread_once() calls";

// As the C library writes it.
constexpr pthread_once_t kDone = 2;

// Runs it; if it throws, it was not done.
class Once {
 public:
  Once(pthread_once_t* control, const void* pc) : control_(control), pc_(pc) {}
  ~Once() { end(control_, done_ ? kDone : pthread_once_t{0}, pc_); }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  void run(void (*routine)()) {
    routine();
    done_ = true;
  }

 private:
  pthread_once_t* control_;
  const void* pc_;
  bool done_ = false;
};

}  // namespace

int run_once(pthread_once_t* control, void (*routine)(), const void* pc) {
  if (begin(control, kDone, kOnce, pc)) {
    Once once(control, pc);
    once.run(routine);
  }
  return 0;
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (!active) return real_pthread_once(control, routine);
  return run_once(control, routine, PLUMB_PC);
}

int __cxa_guard_acquire(Guard* guard) {
  if (!active) return real_guard_acquire(guard);
  return begin(reinterpret_cast<DoneFlag*>(guard), DoneFlag{1}, kVariable,
               PLUMB_PC);
}

void __cxa_guard_release(Guard* guard) {
  if (!active) return real_guard_release(guard);
  end(reinterpret_cast<DoneFlag*>(guard), DoneFlag{1}, PLUMB_PC);
}

void __cxa_guard_abort(Guard* guard) {
  if (!active) return real_guard_abort(guard);
  end(reinterpret_cast<DoneFlag*>(guard), DoneFlag{0}, PLUMB_PC);
}

}  // extern "C"
