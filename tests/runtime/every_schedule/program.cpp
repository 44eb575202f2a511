// SPDX-License-Identifier: Apache-2.0
// The code under test: does what a random program says, and notes what came
// out.  Calls that make no sense (to unlock what is not locked) do nothing.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>

#include "random_program.h"

namespace {

pthread_mutex_t mutex;
pthread_cond_t condition;
pthread_rwlock_t shared;
pthread_barrier_t barrier;
sem_t semaphore;
std::uint32_t word;
int entries;  // how often the mutex was taken
char notes[RandomProgram::kThreads][64];
char all_notes[256];
const timespec past = {0, 0};

class Runner {
 public:
  explicit Runner(char* own_notes) : notes_(own_notes) {}

  void run(Call call) {
    if (!run_mutex(call) && !run_shared(call)) run_other(call);
  }

  void leave() {
    if (locked_) pthread_mutex_unlock(&mutex);
    if (shares_) pthread_rwlock_unlock(&shared);
  }

 private:
  void note(long value) {
    length_ += static_cast<std::size_t>(
        std::snprintf(notes_ + length_, 60 - length_, "%ld,", value));
  }

  void enter(int error, bool always) {
    locked_ = error == 0;
    if (!always) note(locked_);
    if (locked_) note(++entries);
  }

  bool run_mutex(Call call);
  bool run_shared(Call call);
  void run_other(Call call);
  static long futex(int operation, unsigned value, const timespec* timeout) {
    return syscall(SYS_futex, &word, operation, value, timeout);
  }

  char* notes_;
  std::size_t length_ = 0;
  bool locked_ = false;
  bool shares_ = false;
};

bool Runner::run_mutex(Call call) {
  switch (call) {
    case Call::kLock:
      if (!locked_) enter(pthread_mutex_lock(&mutex), true);
      return true;
    case Call::kTryLock:
      if (!locked_) enter(pthread_mutex_trylock(&mutex), false);
      return true;
    case Call::kTimedLock:
      if (!locked_) enter(pthread_mutex_timedlock(&mutex, &past), false);
      return true;
    case Call::kUnlock:
    case Call::kUnlockAndSignal:
      if (locked_) pthread_mutex_unlock(&mutex);
      locked_ = false;
      if (call == Call::kUnlockAndSignal) pthread_cond_signal(&condition);
      return true;
    case Call::kWait:
      if (locked_) enter(pthread_cond_wait(&condition, &mutex), true);
      return true;
    case Call::kTimedWait:
      if (!locked_) return true;
      note(pthread_cond_timedwait(&condition, &mutex, &past));
      enter(0, true);
      return true;
    default:
      return false;
  }
}

bool Runner::run_shared(Call call) {
  switch (call) {
    case Call::kReadLock:
      if (!shares_) shares_ = pthread_rwlock_rdlock(&shared) == 0;
      return true;
    case Call::kWriteLock:
      if (!shares_) shares_ = pthread_rwlock_wrlock(&shared) == 0;
      return true;
    case Call::kTryReadLock:
      if (!shares_) note(shares_ = pthread_rwlock_tryrdlock(&shared) == 0);
      return true;
    case Call::kTryWriteLock:
      if (!shares_) note(shares_ = pthread_rwlock_trywrlock(&shared) == 0);
      return true;
    case Call::kSharedUnlock:
      if (shares_) pthread_rwlock_unlock(&shared);
      shares_ = false;
      return true;
    default:
      return false;
  }
}

void Runner::run_other(Call call) {
  int value = 0;
  switch (call) {
    case Call::kSignal:
      pthread_cond_signal(&condition);
      return;
    case Call::kBroadcast:
      pthread_cond_broadcast(&condition);
      return;
    case Call::kDown:
      sem_wait(&semaphore);
      return;
    case Call::kUp:
      sem_post(&semaphore);
      return;
    case Call::kTryDown:
      return note(sem_trywait(&semaphore));
    case Call::kTimedDown:
      return note(sem_timedwait(&semaphore, &past));
    case Call::kValue:
      sem_getvalue(&semaphore, &value);
      return note(value);
    case Call::kBarrier:
      return note(pthread_barrier_wait(&barrier));
    case Call::kFutexWait:
      return note(futex(FUTEX_WAIT_PRIVATE, 0, nullptr));
    case Call::kFutexTimedWait:
      return note(futex(FUTEX_WAIT_PRIVATE, 0, &past));
    case Call::kFutexWakeOne:
      return note(futex(FUTEX_WAKE_PRIVATE, 1, nullptr));
    case Call::kFutexWakeAll:
      return note(futex(FUTEX_WAKE_PRIVATE, 100, nullptr));
    case Call::kStore:
      return __atomic_store_n(&word, 1u, __ATOMIC_SEQ_CST);
    default:
      return note(__atomic_load_n(&word, __ATOMIC_SEQ_CST));
  }
}

void* run_thread(void* argument) {
  const auto thread = reinterpret_cast<std::intptr_t>(argument);
  const RandomProgram& program = *given_program();
  Runner runner(notes[thread]);
  for (int i = 0; i < program.counts[thread]; ++i) {
    runner.run(program.calls[thread][i]);
  }
  runner.leave();
  return nullptr;
}

void run_all() {
  pthread_mutex_init(&mutex, nullptr);
  pthread_cond_init(&condition, nullptr);
  pthread_rwlock_init(&shared, nullptr);
  pthread_barrier_init(&barrier, nullptr, 2);
  sem_init(&semaphore, 0, 1);
  pthread_t threads[RandomProgram::kThreads];
  const int count = given_program()->threads;
  for (std::intptr_t t = 0; t < count; ++t) {
    pthread_create(&threads[t], nullptr, run_thread,
                   reinterpret_cast<void*>(t));
  }
  for (int t = 0; t < count; ++t) pthread_join(threads[t], nullptr);
}

const char* results() {
  std::snprintf(all_notes, sizeof(all_notes), "%s| %s| %s|", notes[0], notes[1],
                notes[2]);
  return all_notes;
}

const int given = (give_body(run_all, results), 0);

}  // namespace
