// SPDX-License-Identifier: Apache-2.0
// Locks for readers and writers, barriers and semaphores of POSIX threads.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "runtime/core.h"
#include "runtime/loop_points.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

PLUMB_REAL(pthread_rwlock_init);
PLUMB_REAL(pthread_rwlock_destroy);
PLUMB_REAL(pthread_rwlock_rdlock);
PLUMB_REAL(pthread_rwlock_tryrdlock);
PLUMB_REAL(pthread_rwlock_timedrdlock);
PLUMB_REAL(pthread_rwlock_clockrdlock);
PLUMB_REAL(pthread_rwlock_wrlock);
PLUMB_REAL(pthread_rwlock_trywrlock);
PLUMB_REAL(pthread_rwlock_timedwrlock);
PLUMB_REAL(pthread_rwlock_clockwrlock);
PLUMB_REAL(pthread_rwlock_unlock);
PLUMB_REAL(pthread_barrier_init);
PLUMB_REAL(pthread_barrier_destroy);
PLUMB_REAL(pthread_barrier_wait);
PLUMB_REAL(sem_init);
PLUMB_REAL(sem_destroy);
PLUMB_REAL(sem_wait);
PLUMB_REAL(sem_trywait);
PLUMB_REAL(sem_timedwait);
PLUMB_REAL(sem_clockwait);
PLUMB_REAL(sem_post);
PLUMB_REAL(sem_getvalue);

// Who holds it alone releases and acquires under the object's own address; who
// shares it acquires there but releases under this one, so that those who
// share it are not ordered among themselves.
constexpr std::uintptr_t kShared = 8;

bool has_nobody(const void* object) {
  return has_no_owner(object) &&
         static_cast<const SyncObject*>(object)->sharers == 0;
}

// In graphs a lock is 1 if a writer has it, else twice the number of readers.
sched::Bytes with_writer(const sched::Bytes&) {
  return {1, 0};
}
sched::Bytes with_nobody(const sched::Bytes&) {
  return {0, 0};
}
sched::Bytes with_reader(const sched::Bytes& value) {
  return {value.low + 2, 0};
}
sched::Bytes without_reader(const sched::Bytes& value) {
  return {value.low - 2, 0};
}
std::uint64_t in_graph(const SyncObject& object) {
  return has_no_owner(&object) ? object.sharers * 2u : 1u;
}
SyncAccess entering(const SyncObject& object, bool writer) {
  SyncAccess access{object.address, __ATOMIC_ACQUIRE,
                    writer ? with_writer : with_reader};
  access.updates = writer ? sched::Updates::kIfEqual : sched::Updates::kIfEven;
  access.acquires_all = writer;
  return access;
}
SyncAccess leaving(const SyncObject& object, bool writer) {
  SyncAccess access{object.address,
                    writer ? __ATOMIC_RELEASE : __ATOMIC_RELAXED,
                    writer ? with_nobody : without_reader};
  access.shares = !writer;
  return access;
}

void enter(SyncObject& object, bool alone_in_it) {
  if (alone_in_it) {
    object.owner = self();
  } else {
    ++object.sharers;
    ++object.shares[self()];
  }
  if (alone()) return;
  races().acquire(self(), object.address);
  if (alone_in_it) races().acquire(self(), object.address + kShared);
}

// With these, who waits to write keeps others from beginning to read.
void require_no_preference(const pthread_rwlock_t* at, bool writer,
                           const void* pc) {
  if (writer || alone() ||
      at->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) {
    return;
  }
  not_supported(pc,
                "a lock that prefers writers "
                "(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)");
}

int lock(pthread_rwlock_t* at, bool writer, const void* pc) {
  tell_use(at, number_of(pc));
  require_no_preference(at, writer, pc);
  SyncObject& object = object_at(at);
  if (object.owner == self()) return EDEADLK;
  if (graphs) wait_in_graph(entering(object, writer), in_graph(object));
  Turn turn(sync_event(Kind::kLock, object.address, writer, pc),
            writer ? has_nobody : has_no_owner, &object, kOwnAccess);
  turn.access(entering(object, writer), true, in_graph(object));
  enter(object, writer);
  turn.done();
  return 0;
}

int try_lock(pthread_rwlock_t* at, bool writer, const void* pc) {
  tell_use(at, number_of(pc));
  require_no_preference(at, writer, pc);
  SyncObject& object = object_at(at);
  if (object.owner == self()) return EBUSY;
  Turn turn(sync_event(Kind::kUpdate, object.address, writer, pc), kOwnAccess);
  const bool is_free = (writer ? has_nobody : has_no_owner)(&object);
  const bool works =
      graphs && turn.is_announced()
          ? turn.access(entering(object, writer), false, in_graph(object))
          : is_free;
  if (!works) {
    // A writer that fails has seen sharers, whose events do not write: so it
    // must be one that does.
    if (writer) {
      turn.follows_nobody();
      turn.done(EBUSY);
    } else {
      turn.failed();
    }
    return EBUSY;
  }
  enter(object, writer);
  turn.done();
  return 0;
}

int timed_lock(pthread_rwlock_t* at, bool writer, const timespec* deadline,
               const void* pc) {
  tell_read(deadline, number_of(pc));
  if (!is_time(*deadline)) return EINVAL;
  if (object_at(at).owner == self()) return EDEADLK;
  if (try_lock(at, writer, pc) == 0) return 0;
  wait_in_vain_until(*deadline, pc);
  return ETIMEDOUT;
}

int unlock(pthread_rwlock_t* at, const void* pc) {
  tell_use(at, number_of(pc));
  SyncObject& object = object_at(at);
  const bool writer = object.owner == self();
  if (!writer && object.shares[self()] == 0) {
    fail(Fault::kMisuse, number_of(pc),
         "a lock is unlocked that this thread does not hold");
  }
  Turn turn(sync_event(Kind::kUnlock, object.address, writer, pc), kOwnAccess);
  turn.access(leaving(object, writer), false, in_graph(object));
  if (writer) {
    object.owner = sched::kNoThread;
  } else {
    --object.sharers;
    --object.shares[self()];
  }
  if (!alone()) {
    races().release(self(), object.address + (writer ? 0 : kShared));
  }
  turn.done();
  return 0;
}

// `value`: of a semaphore that begins there.
template <typename T>
void end_life(T* at, bool in_use, const char* what, const void* pc,
              std::uint64_t value = 0) {
  tell_life(at, sizeof(T), number_of(pc));
  SyncObject& object = object_at(at);
  Turn turn(sync_event(Kind::kUpdate, object.address, true, pc), kOwnAccess);
  if (in_use) fail(Fault::kMisuse, number_of(pc), "%s", what);
  if (graphs && turn.is_announced()) set_in_graph(object.address, value);
  object.reset();
  turn.done();
}

// The number of threads of a barrier, as the C library keeps it.
unsigned bound_in(const pthread_barrier_t* barrier) {
  unsigned words[3];
  static_assert(sizeof(words) <= sizeof(*barrier));
  std::memcpy(words, barrier, sizeof(words));
  return words[2];
}

SyncObject& barrier_at(pthread_barrier_t* barrier, const void* pc) {
  tell_use(barrier, number_of(pc));
  SyncObject& object = object_at(barrier);
  if (!object.known) {
    object.known = true;
    object.bound = bound_in(barrier);
  }
  return object;
}

bool round_is_over(const void* waiting) {
  const Waiting& mine = *static_cast<const Waiting*>(waiting);
  return mine.queue->round != mine.round;
}

// Who comes and who goes in one round have nothing to do with those of another
// round, so each round has a place of its own (kNoMemory).
std::uintptr_t place_of(const SyncObject& barrier, std::uint32_t round) {
  return kNoMemory | std::uintptr_t{round & 0xFF} << 48 | barrier.address;
}

// The event of coming also touches the barrier itself, which may not end then.
// Returns whether this thread was the last.
bool come(SyncObject& barrier, const void* pc) {
  Event event =
      sync_event(Kind::kUp, place_of(barrier, barrier.round), true, pc);
  event.second = barrier.address;
  Turn turn(event, kOwnAccess);
  turn.access({barrier.address, __ATOMIC_ACQ_REL}, false);
  turn.event.address = place_of(barrier, barrier.round);
  waiting_of(self()) = {
      .queue = &barrier, .round = barrier.round, .thread = self()};
  if (!alone()) races().release(self(), barrier.address + (barrier.round & 1));
  const bool last = ++barrier.count == barrier.bound;
  if (last) {
    barrier.count = 0;
    ++barrier.round;
  }
  turn.done(last);
  return last;
}

// All who come in one round release, all who go on acquire.  Rounds take
// turns with two addresses: who is late in leaving must not be ordered behind
// who is early for the next one.
int wait(pthread_barrier_t* at, const void* pc) {
  SyncObject& barrier = barrier_at(at, pc);
  const bool last = come(barrier, pc);
  const Waiting& mine = waiting_of(self());
  if (!last) {
    const SyncAccess leaves{barrier.address, __ATOMIC_ACQUIRE};
    if (graphs) wait_in_graph(leaves);
    Turn leave(
        sync_event(Kind::kLock, place_of(barrier, mine.round), false, pc),
        round_is_over, &mine, kOwnAccess);
    leave.access(leaves, true);
    leave.done();
  }
  if (!alone()) races().acquire(self(), barrier.address + (mine.round & 1));
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// The value of a semaphore, as the C library keeps it.
unsigned value_in(const sem_t* semaphore) {
  std::uint64_t word;
  std::memcpy(&word, semaphore, sizeof(word));
  return static_cast<unsigned>(word);
}

SyncObject& semaphore_at(sem_t* semaphore, const void* pc) {
  tell_use(semaphore, number_of(pc));
  SyncObject& object = object_at(semaphore);
  if (!object.known) {
    object.known = true;
    object.count = value_in(semaphore);
  }
  return object;
}

sched::Bytes one_less(const sched::Bytes& value) {
  return {value.low - 1, 0};
}
sched::Bytes one_more(const sched::Bytes& value) {
  return {value.low + 1, 0};
}
SyncAccess taking_one(const SyncObject& semaphore) {
  SyncAccess access{semaphore.address, __ATOMIC_ACQUIRE, one_less};
  access.updates = sched::Updates::kIfPositive;
  return access;
}

bool has_some(const void* object) {
  return static_cast<const SyncObject*>(object)->count > 0;
}

void take(SyncObject& semaphore) {
  --semaphore.count;
  if (!alone()) races().acquire(self(), semaphore.address);
}

int fail_with(int error) {
  errno = error;
  return -1;
}

int down(sem_t* at, const void* pc) {
  SyncObject& semaphore = semaphore_at(at, pc);
  if (graphs) wait_in_graph(taking_one(semaphore), semaphore.count);
  Turn turn(sync_event(Kind::kDown, semaphore.address, true, pc), has_some,
            &semaphore, kOwnAccess);
  turn.event.found = semaphore.count;
  turn.access(taking_one(semaphore), true, semaphore.count);
  take(semaphore);
  turn.done();
  return 0;
}

bool try_down(sem_t* at, const void* pc) {
  SyncObject& semaphore = semaphore_at(at, pc);
  Turn turn(sync_event(Kind::kUpdate, semaphore.address, true, pc), kOwnAccess);
  turn.event.found = semaphore.count;
  const bool works =
      graphs && turn.is_announced()
          ? turn.access(taking_one(semaphore), false, semaphore.count)
          : semaphore.count != 0;
  if (!works) {
    turn.failed();
    return false;
  }
  take(semaphore);
  turn.done();
  return true;
}

int timed_down(sem_t* at, const timespec* deadline, const void* pc) {
  tell_read(deadline, number_of(pc));
  if (!is_time(*deadline)) return fail_with(EINVAL);
  if (try_down(at, pc)) return 0;
  wait_in_vain_until(*deadline, pc);
  return fail_with(ETIMEDOUT);
}

int up(sem_t* at, const void* pc) {
  SyncObject& semaphore = semaphore_at(at, pc);
  Turn turn(sync_event(Kind::kUp, semaphore.address, true, pc), kOwnAccess);
  turn.event.found = semaphore.count;
  const bool full = semaphore.count == SEM_VALUE_MAX;
  turn.access({semaphore.address, __ATOMIC_RELEASE, full ? nullptr : one_more},
              false, semaphore.count);
  if (!full) ++semaphore.count;
  if (!alone()) races().release(self(), semaphore.address);
  turn.done();
  return full ? fail_with(EOVERFLOW) : 0;
}

unsigned value_of(sem_t* at, const void* pc) {
  SyncObject& semaphore = semaphore_at(at, pc);
  Turn turn(sync_event(Kind::kRead, semaphore.address, false, pc), kOwnAccess);
  turn.follows_nobody();
  unsigned value = semaphore.count;
  if (graphs && turn.is_announced()) {
    value = static_cast<unsigned>(look_in_graph(semaphore.address, value));
  }
  turn.done(value);
  return value;
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int pthread_rwlock_init(pthread_rwlock_t* lock_,
                        const pthread_rwlockattr_t* attributes) noexcept {
  if (active) {
    globals_written(number_of(lock_), sizeof(*lock_));
    tell_read(attributes, PLUMB_PC_NUMBER);
    end_life(lock_, false, "", PLUMB_PC);
  }
  return real_pthread_rwlock_init(lock_, attributes);
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock_) noexcept {
  if (!active) return real_pthread_rwlock_destroy(lock_);
  end_life(lock_, !has_nobody(&object_at(lock_)),
           "a lock is destroyed that is held", PLUMB_PC);
  return 0;
}

PLUMB_LOOP_POINT(int, pthread_rwlock_rdlock, 1, (pthread_rwlock_t * lock_)) {
  if (!active) return real_pthread_rwlock_rdlock(lock_);
  const LoopPoint point;
  return lock(lock_, false, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_tryrdlock, 1, (pthread_rwlock_t * lock_)) {
  if (!active) return real_pthread_rwlock_tryrdlock(lock_);
  const LoopPoint point;
  return try_lock(lock_, false, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_timedrdlock, 2,
                 (pthread_rwlock_t * lock_, const timespec* deadline)) {
  if (!active) return real_pthread_rwlock_timedrdlock(lock_, deadline);
  const LoopPoint point;
  return timed_lock(lock_, false, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_clockrdlock, 3,
                 (pthread_rwlock_t * lock_, clockid_t clock_id,
                  const timespec* deadline)) {
  if (!active) {
    return real_pthread_rwlock_clockrdlock(lock_, clock_id, deadline);
  }
  const LoopPoint point;
  return timed_lock(lock_, false, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_wrlock, 1, (pthread_rwlock_t * lock_)) {
  if (!active) return real_pthread_rwlock_wrlock(lock_);
  const LoopPoint point;
  return lock(lock_, true, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_trywrlock, 1, (pthread_rwlock_t * lock_)) {
  if (!active) return real_pthread_rwlock_trywrlock(lock_);
  const LoopPoint point;
  return try_lock(lock_, true, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_timedwrlock, 2,
                 (pthread_rwlock_t * lock_, const timespec* deadline)) {
  if (!active) return real_pthread_rwlock_timedwrlock(lock_, deadline);
  const LoopPoint point;
  return timed_lock(lock_, true, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_rwlock_clockwrlock, 3,
                 (pthread_rwlock_t * lock_, clockid_t clock_id,
                  const timespec* deadline)) {
  if (!active) {
    return real_pthread_rwlock_clockwrlock(lock_, clock_id, deadline);
  }
  const LoopPoint point;
  return timed_lock(lock_, true, deadline, PLUMB_PC);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock_) noexcept {
  if (!active) return real_pthread_rwlock_unlock(lock_);
  return unlock(lock_, PLUMB_PC);
}

int pthread_barrier_init(pthread_barrier_t* barrier,
                         const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  if (active) {
    globals_written(number_of(barrier), sizeof(*barrier));
    tell_read(attributes, PLUMB_PC_NUMBER);
    end_life(barrier, false, "", PLUMB_PC);
  }
  return real_pthread_barrier_init(barrier, attributes, count);
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (!active) return real_pthread_barrier_destroy(barrier);
  end_life(barrier, object_at(barrier).count != 0,
           "a barrier is destroyed where threads wait", PLUMB_PC);
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (!active) return real_pthread_barrier_wait(barrier);
  return wait(barrier, PLUMB_PC);
}

int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  if (active) {
    globals_written(number_of(semaphore), sizeof(*semaphore));
    end_life(semaphore, false, "", PLUMB_PC, value);
  }
  return real_sem_init(semaphore, shared, value);
}

int sem_destroy(sem_t* semaphore) noexcept {
  if (!active) return real_sem_destroy(semaphore);
  end_life(semaphore, false, "", PLUMB_PC);
  return 0;
}

PLUMB_LOOP_POINT(int, sem_wait, 1, (sem_t * semaphore)) {
  if (!active) return real_sem_wait(semaphore);
  const LoopPoint point;
  return down(semaphore, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, sem_trywait, 1, (sem_t * semaphore)) {
  if (!active) return real_sem_trywait(semaphore);
  const LoopPoint point;
  return try_down(semaphore, PLUMB_PC) ? 0 : fail_with(EAGAIN);
}

PLUMB_LOOP_POINT(int, sem_timedwait, 2,
                 (sem_t * semaphore, const timespec* deadline)) {
  if (!active) return real_sem_timedwait(semaphore, deadline);
  const LoopPoint point;
  return timed_down(semaphore, deadline, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, sem_clockwait, 3,
                 (sem_t * semaphore, clockid_t clock_id,
                  const timespec* deadline)) {
  if (!active) return real_sem_clockwait(semaphore, clock_id, deadline);
  const LoopPoint point;
  return timed_down(semaphore, deadline, PLUMB_PC);
}

int sem_post(sem_t* semaphore) noexcept {
  if (!active) return real_sem_post(semaphore);
  return up(semaphore, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, sem_getvalue, 2, (sem_t * semaphore, int* value)) {
  if (!active) return real_sem_getvalue(semaphore, value);
  const LoopPoint point;
  const auto now = static_cast<int>(value_of(semaphore, PLUMB_PC));
  tell_write(value, PLUMB_PC_NUMBER);
  store(value, now);
  return 0;
}

}  // extern "C"
