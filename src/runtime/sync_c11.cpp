// SPDX-License-Identifier: Apache-2.0
// The threads of C11, which the C library builds on those of POSIX.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "runtime/core.h"
#include "runtime/loop_points.h"
#include "runtime/reals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/thread_settings.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// Both are the same thing in memory.
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t));

pthread_mutex_t* posix(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* posix(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

int c11(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t entry, void* argument) {
  // What returns an int returns it where a pointer would be.
  const auto start =
      reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(entry));
  return c11(active ? create_thread(thread, nullptr, start, argument, PLUMB_PC)
                    : pthread_create(thread, nullptr, start, argument));
}

int thrd_join(thrd_t thread, int* result) {
  void* pointer = nullptr;
  const int error = active ? join_thread(thread, &pointer, PLUMB_PC)
                           : pthread_join(thread, &pointer);
  const auto value = static_cast<int>(reinterpret_cast<std::intptr_t>(pointer));
  if (error != 0) return c11(error);
  tell_write(result, PLUMB_PC_NUMBER);
  store(result, value);
  return c11(error);
}

int thrd_detach(thrd_t thread) {
  return c11(pthread_detach(thread));
}

void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(std::intptr_t{result}));
}

thrd_t thrd_current() {
  note_who_asks(PLUMB_PC_NUMBER);
  return pthread_self();
}

void thrd_yield() {
  sched_yield();
}

int thrd_sleep(const timespec* duration, timespec* left) {
  if (!active) return nanosleep(duration, left) == 0 ? 0 : -1;
  return -sleep_as_told(duration, PLUMB_PC);
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type & mtx_recursive
                                             ? PTHREAD_MUTEX_RECURSIVE
                                             : PTHREAD_MUTEX_NORMAL);
  return c11(active ? make_mutex(posix(mutex), &attributes, PLUMB_PC)
                    : pthread_mutex_init(posix(mutex), &attributes));
}

void mtx_destroy(mtx_t* mutex) {
  if (active) {
    destroy_mutex(posix(mutex), PLUMB_PC);
  } else {
    pthread_mutex_destroy(posix(mutex));
  }
}

PLUMB_LOOP_POINT(int, mtx_lock, 1, (mtx_t * mutex)) {
  if (!active) return c11(pthread_mutex_lock(posix(mutex)));
  const LoopPoint point;
  return c11(lock_mutex(posix(mutex), PLUMB_PC));
}

PLUMB_LOOP_POINT(int, mtx_timedlock, 2,
                 (mtx_t * mutex, const timespec* deadline)) {
  if (!active) return c11(pthread_mutex_timedlock(posix(mutex), deadline));
  const LoopPoint point;
  return c11(timed_lock_mutex(posix(mutex), deadline, PLUMB_PC));
}

PLUMB_LOOP_POINT(int, mtx_trylock, 1, (mtx_t * mutex)) {
  if (!active) return c11(pthread_mutex_trylock(posix(mutex)));
  const LoopPoint point;
  return c11(try_lock_mutex(posix(mutex), PLUMB_PC));
}

PLUMB_LOOP_POINT(int, mtx_unlock, 1, (mtx_t * mutex)) {
  if (!active) return c11(pthread_mutex_unlock(posix(mutex)));
  const LoopPoint point;
  return c11(unlock_mutex(posix(mutex), PLUMB_PC));
}

int cnd_init(cnd_t* condition) {
  return c11(active ? make_condition(posix(condition), nullptr, PLUMB_PC)
                    : pthread_cond_init(posix(condition), nullptr));
}

void cnd_destroy(cnd_t* condition) {
  if (active) {
    destroy_condition(posix(condition), PLUMB_PC);
  } else {
    pthread_cond_destroy(posix(condition));
  }
}

int cnd_signal(cnd_t* condition) {
  return c11(active ? signal_condition(posix(condition), false, PLUMB_PC)
                    : pthread_cond_signal(posix(condition)));
}

int cnd_broadcast(cnd_t* condition) {
  return c11(active ? signal_condition(posix(condition), true, PLUMB_PC)
                    : pthread_cond_broadcast(posix(condition)));
}

PLUMB_LOOP_POINT(int, cnd_wait, 2, (cnd_t * condition, mtx_t* mutex)) {
  if (!active) return c11(pthread_cond_wait(posix(condition), posix(mutex)));
  const LoopPoint point;
  return c11(
      wait_at_condition(posix(condition), posix(mutex), nullptr, PLUMB_PC));
}

PLUMB_LOOP_POINT(int, cnd_timedwait, 3,
                 (cnd_t * condition, mtx_t* mutex, const timespec* deadline)) {
  if (!active) {
    return c11(
        pthread_cond_timedwait(posix(condition), posix(mutex), deadline));
  }
  const LoopPoint point;
  return c11(
      wait_at_condition(posix(condition), posix(mutex), deadline, PLUMB_PC));
}

void call_once(once_flag* flag, void (*routine)()) {
  auto* const control = reinterpret_cast<pthread_once_t*>(flag);
  if (active) {
    run_once(control, routine, PLUMB_PC);
  } else {
    pthread_once(control, routine);
  }
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return c11(active ? make_key(key, destructor, PLUMB_PC)
                    : pthread_key_create(key, destructor));
}

void* tss_get(tss_t key) {
  return pthread_getspecific(key);
}

int tss_set(tss_t key, void* value) {
  return c11(pthread_setspecific(key, value));
}

void tss_delete(tss_t key) {
  pthread_key_delete(key);
}

}  // extern "C"
