// SPDX-License-Identifier: Apache-2.0
// Mutexes and spin locks of POSIX threads.
#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "runtime/core.h"
#include "runtime/graph_memory.h"
#include "runtime/loop_points.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

PLUMB_REAL(pthread_mutex_init);
PLUMB_REAL(pthread_mutex_destroy);
PLUMB_REAL(pthread_mutex_lock);
PLUMB_REAL(pthread_mutex_trylock);
PLUMB_REAL(pthread_mutex_timedlock);
PLUMB_REAL(pthread_mutex_clocklock);
PLUMB_REAL(pthread_mutex_unlock);
PLUMB_REAL(pthread_spin_init);
PLUMB_REAL(pthread_spin_destroy);
PLUMB_REAL(pthread_spin_lock);
PLUMB_REAL(pthread_spin_trylock);
PLUMB_REAL(pthread_spin_unlock);

bool never(const void*) {
  return false;
}

void lock(SyncObject& object, const void* pc) {
  const Event event = sync_event(Kind::kLock, object.address, true, pc);
  if (object.owner == self()) announce_when(event, never, nullptr);
  if (graphs) wait_in_graph(taking(object), is_held(object));
  Turn turn(event, has_no_owner, &object, kOwnAccess);
  object.owner = self();
  object.count = 1;
  if (!alone()) races().acquire(self(), object.address);
  turn.access(taking(object), true);
  turn.done();
}

// Requires: this thread does not hold it.
bool try_lock(SyncObject& object, const void* pc) {
  Turn turn(sync_event(Kind::kUpdate, object.address, true, pc), kOwnAccess);
  const bool was_free = !is_held(object);
  const bool works = graphs && turn.is_announced()
                         ? turn.access(taking(object), false, !was_free)
                         : was_free;
  if (!works) {
    turn.failed();
    return false;
  }
  object.owner = self();
  object.count = 1;
  if (!alone()) races().acquire(self(), object.address);
  turn.done();
  return true;
}

// Requires: this thread holds it.
void unlock(SyncObject& object, const void* pc) {
  Turn turn(sync_event(Kind::kUnlock, object.address, true, pc), kOwnAccess);
  object.owner = sched::kNoThread;
  object.count = 0;
  if (!alone()) races().release(self(), object.address);
  turn.access(giving_back(object), false, 1);
  turn.done();
}

// An end of its life, or a new beginning, is something that others notice.
void renew(SyncObject& object, const void* pc) {
  Turn turn(sync_event(Kind::kUpdate, object.address, true, pc), kOwnAccess);
  turn.access(giving_back(object), false, is_held(object));
  object.reset();
  turn.done();
}

// LIMIT: mutexes that inherit priorities are like others, and so are robust
// ones while their owners live.
constexpr int kRobust = 16;    // of __kind
std::uint32_t robust_run = 0;  // the last one that had any
enum class MutexType { kNormal, kRecursive, kChecked };

MutexType type_of(const pthread_mutex_t* mutex, const void* pc) {
  tell_use(mutex, number_of(pc));
  const int kind = mutex->__data.__kind;
  if (kind == -1) {
    fail(Fault::kMisuse, number_of(pc), "a mutex is used that was destroyed");
  }
  if (kind & kRobust) {
    object_at(mutex).is_robust = true;
    robust_run = run_number;
  }
  if ((kind & 3) == PTHREAD_MUTEX_RECURSIVE) return MutexType::kRecursive;
  if ((kind & 3) == PTHREAD_MUTEX_ERRORCHECK) return MutexType::kChecked;
  return MutexType::kNormal;
}

}  // namespace

int lock_mutex(pthread_mutex_t* mutex, const void* pc) {
  const MutexType type = type_of(mutex, pc);
  SyncObject& object = object_at(mutex);
  if (object.owner == self() && type == MutexType::kChecked) return EDEADLK;
  if (object.owner == self() && type == MutexType::kRecursive) {
    ++object.count;
    return 0;
  }
  lock(object, pc);
  return 0;
}

int try_lock_mutex(pthread_mutex_t* mutex, const void* pc) {
  const MutexType type = type_of(mutex, pc);
  SyncObject& object = object_at(mutex);
  if (object.owner == self()) {
    if (type != MutexType::kRecursive) return EBUSY;
    ++object.count;
    return 0;
  }
  return try_lock(object, pc) ? 0 : EBUSY;
}

// To wait for some time is to try once, at any later moment: the search knows
// all moments.
int timed_lock_mutex(pthread_mutex_t* mutex, const timespec* deadline,
                     const void* pc) {
  tell_read(deadline, number_of(pc));
  if (object_at(mutex).owner == self() &&
      type_of(mutex, pc) == MutexType::kChecked) {
    return EDEADLK;
  }
  if (try_lock_mutex(mutex, pc) == 0) return 0;
  if (!is_time(*deadline)) return EINVAL;
  wait_in_vain_until(*deadline, pc);
  return ETIMEDOUT;
}

int unlock_mutex(pthread_mutex_t* mutex, const void* pc) {
  const MutexType type = type_of(mutex, pc);
  SyncObject& object = object_at(mutex);
  if (object.owner != self()) {
    if (type != MutexType::kNormal) return EPERM;
    fail(Fault::kMisuse, number_of(pc),
         object.owner == sched::kNoThread
             ? "a mutex is unlocked that is not locked"
             : "a mutex is unlocked that another thread has locked");
  }
  if (--object.count == 0) unlock(object, pc);
  return 0;
}

// Others would be told (EOWNERDEAD), and nothing tells the search that.
void require_no_robust_mutex() {
  if (robust_run != run_number) return;
  each_object(
      [](void*, const SyncObject& object) {
        if (!object.is_robust || object.owner != self()) return;
        fail(Fault::kUnsupported, 0,
             "a thread ends that holds a robust mutex (EOWNERDEAD)");
      },
      nullptr);
}

int make_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes,
               const void* pc) {
  tell_read(attributes, number_of(pc));
  tell_life(mutex, sizeof(*mutex), number_of(pc));
  globals_written(number_of(mutex), sizeof(*mutex));
  renew(object_at(mutex), pc);
  return real_pthread_mutex_init(mutex, attributes);
}

int destroy_mutex(pthread_mutex_t* mutex, const void* pc) {
  static_cast<void>(type_of(mutex, pc));
  SyncObject& object = object_at(mutex);
  tell_life(mutex, sizeof(*mutex), number_of(pc));
  globals_written(number_of(mutex), sizeof(*mutex));
  Turn turn(sync_event(Kind::kUpdate, object.address, true, pc), kOwnAccess);
  if (is_held(object)) {
    fail(Fault::kMisuse, number_of(pc), "a mutex is destroyed that is locked");
  }
  turn.access(giving_back(object), false);
  turn.done();
  return real_pthread_mutex_destroy(mutex);
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex,
                       const pthread_mutexattr_t* attributes) noexcept {
  if (active) return make_mutex(mutex, attributes, PLUMB_PC);
  return real_pthread_mutex_init(mutex, attributes);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  if (active) return destroy_mutex(mutex, PLUMB_PC);
  return real_pthread_mutex_destroy(mutex);
}

PLUMB_LOOP_POINT(int, pthread_mutex_lock, 1, (pthread_mutex_t * mutex)) {
  if (!active) return real_pthread_mutex_lock(mutex);
  const LoopPoint point;
  return lock_mutex(mutex, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_mutex_trylock, 1, (pthread_mutex_t * mutex)) {
  if (!active) return real_pthread_mutex_trylock(mutex);
  const LoopPoint point;
  return try_lock_mutex(mutex, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_mutex_timedlock, 2,
                 (pthread_mutex_t * mutex, const timespec* deadline)) {
  if (!active) return real_pthread_mutex_timedlock(mutex, deadline);
  const LoopPoint point;
  return timed_lock_mutex(mutex, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_mutex_clocklock, 3,
                 (pthread_mutex_t * mutex, clockid_t clock_id,
                  const timespec* deadline)) {
  if (!active) return real_pthread_mutex_clocklock(mutex, clock_id, deadline);
  const LoopPoint point;
  return timed_lock_mutex(mutex, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_mutex_unlock, 1, (pthread_mutex_t * mutex)) {
  if (!active) return real_pthread_mutex_unlock(mutex);
  const LoopPoint point;
  return unlock_mutex(mutex, PLUMB_PC);
}

int pthread_spin_init(pthread_spinlock_t* spin, int shared) noexcept {
  if (active) {
    tell_life(spin, sizeof(*spin), PLUMB_PC_NUMBER);
    globals_written(number_of(spin), sizeof(*spin));
    renew(object_at(spin), PLUMB_PC);
  }
  return real_pthread_spin_init(spin, shared);
}

int pthread_spin_destroy(pthread_spinlock_t* spin) noexcept {
  if (active) {
    tell_life(spin, sizeof(*spin), PLUMB_PC_NUMBER);
    renew(object_at(spin), PLUMB_PC);
  }
  return real_pthread_spin_destroy(spin);
}

PLUMB_LOOP_POINT(int, pthread_spin_lock, 1, (pthread_spinlock_t * spin)) {
  if (!active) return real_pthread_spin_lock(spin);
  const LoopPoint point;
  tell_use(spin, PLUMB_PC_NUMBER);
  lock(object_at(spin), PLUMB_PC);
  return 0;
}

PLUMB_LOOP_POINT(int, pthread_spin_trylock, 1, (pthread_spinlock_t * spin)) {
  if (!active) return real_pthread_spin_trylock(spin);
  const LoopPoint point;
  tell_use(spin, PLUMB_PC_NUMBER);
  SyncObject& object = object_at(spin);
  if (object.owner == self()) return EBUSY;
  return try_lock(object, PLUMB_PC) ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t* spin) noexcept {
  if (!active) return real_pthread_spin_unlock(spin);
  tell_use(spin, PLUMB_PC_NUMBER);
  SyncObject& object = object_at(spin);
  if (object.owner != self()) {
    fail(Fault::kMisuse, number_of(PLUMB_PC),
         "a spin lock is unlocked that this thread does not hold");
  }
  unlock(object, PLUMB_PC);
  return 0;
}

}  // extern "C"
