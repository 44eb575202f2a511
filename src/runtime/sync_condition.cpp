// SPDX-License-Identifier: Apache-2.0
// Condition variables of POSIX threads.
//
// Waiting is three events: the thread joins those who wait, giving the mutex
// back; later, told to or because its time is over, it leaves them; then it
// takes the mutex again.
//
// To signal releases nothing and to be woken acquires nothing (C++20
// [thread.condition]: no call synchronises with another one): what is shared
// is ordered by the mutex, or it is a race.
//
// A thread may also wake for no reason: then it only gives the mutex back and
// takes it again.  Whether it will is decided when it begins to wait, so that
// it is no way out for one whom nobody wakes.
#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "runtime/core.h"
#include "runtime/loop_points.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

#define PLUMB_REAL_CONDITION(name) PLUMB_REAL_VERSION(name, "GLIBC_2.3.2")
PLUMB_REAL_CONDITION(pthread_cond_init);
PLUMB_REAL_CONDITION(pthread_cond_destroy);
PLUMB_REAL_CONDITION(pthread_cond_wait);
PLUMB_REAL_CONDITION(pthread_cond_timedwait);
PLUMB_REAL(pthread_cond_clockwait);
PLUMB_REAL_CONDITION(pthread_cond_signal);
PLUMB_REAL_CONDITION(pthread_cond_broadcast);
#undef PLUMB_REAL_CONDITION

struct Wait {
  std::uint32_t depth = 0;  // how often the mutex was held
  bool is_over = false;     // for no reason
};

// Joins those who wait.
Wait begin_wait(SyncObject& condition, SyncObject& mutex, bool timed,
                const void* pc) {
  if (mutex.owner != self()) {
    fail(Fault::kMisuse, number_of(pc),
         "a thread waits with a mutex that it has not locked");
  }
  Event event = sync_event(Kind::kWait, condition.address, false, pc);
  event.second = mutex.address;
  Turn turn(event);
  const Wait wait{mutex.count, turn.ends_spuriously()};
  mutex.owner = sched::kNoThread;
  mutex.count = 0;
  if (!alone()) races().release(self(), mutex.address);
  if (!wait.is_over) start_waiting(condition, timed);
  // Who takes the mutex from now on finds this thread among those who wait.
  turn.access(giving_back(mutex), false, 1);
  turn.done();
  return wait;
}

void take_again(SyncObject& mutex, std::uint32_t depth, const void* pc) {
  if (graphs) wait_in_graph(taking(mutex), is_held(mutex));
  Turn turn(sync_event(Kind::kLock, mutex.address, true, pc), has_no_owner,
            &mutex, kOwnAccess);
  mutex.owner = self();
  mutex.count = depth;
  if (!alone()) races().acquire(self(), mutex.address);
  turn.access(taking(mutex), true);
  turn.done();
}

void end_life(pthread_cond_t* at, const char* what, const void* pc) {
  tell_life(at, sizeof(*at), number_of(pc));
  SyncObject& condition = object_at(at);
  Turn turn(sync_event(Kind::kUpdate, condition.address, true, pc));
  if (condition.waiters != 0) fail(Fault::kMisuse, number_of(pc), "%s", what);
  condition.reset();
  turn.done();
}

}  // namespace

int wait_at_condition(pthread_cond_t* at, pthread_mutex_t* with,
                      const timespec* deadline, const void* pc) {
  tell_use(at, number_of(pc));
  tell_use(with, number_of(pc));
  tell_read(deadline, number_of(pc));
  if (deadline != nullptr && !is_time(*deadline)) return EINVAL;
  SyncObject& condition = object_at(at);
  SyncObject& mutex = object_at(with);
  const Wait wait = begin_wait(condition, mutex, deadline != nullptr, pc);
  const bool told = wait.is_over || go_on(condition, pc);
  take_again(mutex, wait.depth, pc);
  if (told) return 0;
  wait_in_vain_until(*deadline, pc);
  return ETIMEDOUT;
}

int signal_condition(pthread_cond_t* at, bool all, const void* pc) {
  tell_use(at, number_of(pc));
  SyncObject& condition = object_at(at);
  Turn turn(sync_event(Kind::kSignal, condition.address, true, pc));
  if (all) {
    wake_all(condition);
  } else {
    wake_one(condition);
  }
  turn.done();
  return 0;
}

int make_condition(pthread_cond_t* condition,
                   const pthread_condattr_t* attributes, const void* pc) {
  tell_read(attributes, number_of(pc));
  globals_written(number_of(condition), sizeof(*condition));
  end_life(condition, "a condition variable is made where threads wait", pc);
  return real_pthread_cond_init(condition, attributes);
}

int destroy_condition(pthread_cond_t* condition, const void* pc) {
  end_life(condition, "a condition variable is destroyed where threads wait",
           pc);
  return 0;
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int pthread_cond_init(pthread_cond_t* condition,
                      const pthread_condattr_t* attributes) noexcept {
  if (active) return make_condition(condition, attributes, PLUMB_PC);
  return real_pthread_cond_init(condition, attributes);
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  if (!active) return real_pthread_cond_destroy(condition);
  return destroy_condition(condition, PLUMB_PC);
}

// Not noexcept: the system's can be cancelled.
PLUMB_LOOP_POINT(int, pthread_cond_wait, 2,
                 (pthread_cond_t * condition, pthread_mutex_t* mutex)) {
  if (!active) return real_pthread_cond_wait(condition, mutex);
  const LoopPoint point;
  return wait_at_condition(condition, mutex, nullptr, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_cond_timedwait, 3,
                 (pthread_cond_t * condition, pthread_mutex_t* mutex,
                  const timespec* deadline)) {
  if (!active) return real_pthread_cond_timedwait(condition, mutex, deadline);
  const LoopPoint point;
  return wait_at_condition(condition, mutex, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_cond_clockwait, 4,
                 (pthread_cond_t * condition, pthread_mutex_t* mutex,
                  clockid_t clock_id, const timespec* deadline)) {
  if (!active) {
    return real_pthread_cond_clockwait(condition, mutex, clock_id, deadline);
  }
  const LoopPoint point;
  return wait_at_condition(condition, mutex, deadline, PLUMB_PC);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!active) return real_pthread_cond_signal(condition);
  return signal_condition(condition, false, PLUMB_PC);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (!active) return real_pthread_cond_broadcast(condition);
  return signal_condition(condition, true, PLUMB_PC);
}

}  // extern "C"
