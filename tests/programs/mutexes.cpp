// SPDX-License-Identifier: Apache-2.0
// Tests of the runtime's mutexes, as tests: `plumb test` must agree with each.
#include <plumb/test.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

using std::chrono::milliseconds;

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

}  // namespace

PLUMB_TEST(a_mutex_orders_plain_accesses) {
  test.run([] {
    std::mutex mutex;
    int count = 0;
    const auto add = [&] {
      const std::lock_guard guard(mutex);
      ++count;
    };
    in_parallel(add, add);
    PLUMB_ASSERT(count == 2);
  });
}

PLUMB_TEST(without_the_mutex_they_race) {
  test.expect("race").run([] {
    std::mutex mutex;
    int count = 0;
    in_parallel(
        [&] {
          const std::lock_guard guard(mutex);
          ++count;
        },
        [&] { ++count; });
  });
}

PLUMB_TEST(locks_in_opposite_orders_end_in_a_deadlock) {
  test.expect("deadlock").run([] {
    std::mutex first, second;
    in_parallel(
        [&] {
          const std::lock_guard a(first);
          const std::lock_guard b(second);
        },
        [&] {
          const std::lock_guard b(second);
          const std::lock_guard a(first);
        });
  });
}

PLUMB_TEST(std_lock_takes_both_without_a_deadlock) {
  test.run([] {
    std::mutex first, second;
    in_parallel([&] { const std::scoped_lock both(first, second); },
                [&] { const std::lock_guard guard(second); });
  });
}

PLUMB_TEST(a_mutex_that_its_holder_locks_again_is_a_deadlock) {
  test.expect("deadlock").run([] {
    std::mutex mutex;
    mutex.lock();
    mutex.lock();
  });
}

PLUMB_TEST(a_recursive_mutex_may_be_locked_again) {
  test.run([] {
    std::recursive_mutex mutex;
    int count = 0;
    const auto add = [&] {
      const std::lock_guard outer(mutex);
      const std::lock_guard inner(mutex);
      ++count;
    };
    in_parallel(add, add);
    PLUMB_ASSERT(count == 2);
  });
}

PLUMB_TEST(a_static_initialiser_says_that_a_mutex_is_recursive) {
  test.run([] {
    pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    PLUMB_ASSERT(pthread_mutex_lock(&mutex) == 0);
    PLUMB_ASSERT(pthread_mutex_lock(&mutex) == 0);
    PLUMB_ASSERT(pthread_mutex_unlock(&mutex) == 0);
    PLUMB_ASSERT(pthread_mutex_unlock(&mutex) == 0);
    PLUMB_ASSERT(pthread_mutex_unlock(&mutex) == EPERM);
  });
}

PLUMB_TEST(a_checking_mutex_returns_errors) {
  test.run([] {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &kind);
    PLUMB_ASSERT(pthread_mutex_unlock(&mutex) == EPERM);
    PLUMB_ASSERT(pthread_mutex_lock(&mutex) == 0);
    PLUMB_ASSERT(pthread_mutex_lock(&mutex) == EDEADLK);
    PLUMB_ASSERT(pthread_mutex_unlock(&mutex) == 0);
    PLUMB_ASSERT(pthread_mutex_destroy(&mutex) == 0);
  });
}

PLUMB_TEST(unlocking_what_another_thread_holds_is_misuse) {
  test.expect("misuse").run([] {
    std::mutex mutex;
    mutex.lock();
    std::thread([&] { mutex.unlock(); }).join();
  });
}

PLUMB_TEST(destroying_a_mutex_that_is_held_is_misuse) {
  test.expect("misuse").run([] {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, nullptr);
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex);
  });
}

PLUMB_TEST(using_a_mutex_after_its_end_is_misuse) {
  test.expect("misuse").run([] {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, nullptr);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex);
  });
}

PLUMB_TEST(a_mutex_may_be_made_again_after_its_end) {
  test.run([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 2; ++i) {
      PLUMB_ASSERT(pthread_mutex_lock(&mutex) == 0);
      PLUMB_ASSERT(pthread_mutex_unlock(&mutex) == 0);
      PLUMB_ASSERT(pthread_mutex_destroy(&mutex) == 0);
      mutex = PTHREAD_MUTEX_INITIALIZER;
    }
  });
}

// Exactly one assertion can fail: that an attempt is in vain is explored.
PLUMB_TEST(trying_to_lock_may_fail) {
  test.expect("assertion").run([] {
    std::mutex mutex;
    bool got = true;
    in_parallel([&] { const std::lock_guard guard(mutex); },
                [&] {
                  got = mutex.try_lock();
                  if (got) mutex.unlock();
                });
    PLUMB_ASSERT(got);
  });
}

PLUMB_TEST(trying_to_lock_may_succeed) {
  test.expect("assertion").run([] {
    std::mutex mutex;
    bool got = false;
    in_parallel([&] { const std::lock_guard guard(mutex); },
                [&] {
                  got = mutex.try_lock();
                  if (got) mutex.unlock();
                });
    PLUMB_ASSERT(!got);
  });
}

PLUMB_TEST(trying_is_exclusive_too) {
  test.run([] {
    std::mutex mutex;
    int count = 0, got = 0;
    const auto add = [&] {
      if (!mutex.try_lock()) return;
      ++got;
      ++count;
      mutex.unlock();
    };
    in_parallel(add, add);
    PLUMB_ASSERT(got >= 1 && count == got);
  });
}

PLUMB_TEST(waiting_for_some_time_may_be_in_vain) {
  test.expect("assertion").run([] {
    std::timed_mutex mutex;
    bool got = true;
    in_parallel([&] { const std::lock_guard guard(mutex); },
                [&] {
                  got = mutex.try_lock_for(milliseconds(5));
                  if (got) mutex.unlock();
                });
    PLUMB_ASSERT(got);
  });
}

PLUMB_TEST(waiting_for_some_time_is_no_deadlock) {
  test.run([] {
    std::timed_mutex mutex;
    mutex.lock();
    std::thread([&] {
      PLUMB_ASSERT(!mutex.try_lock_for(milliseconds(5)));
    }).join();
    mutex.unlock();
  });
}

PLUMB_TEST(readers_share_and_writers_do_not) {
  test.run([] {
    std::shared_mutex mutex;
    std::atomic<int> readers = 0, writers = 0;
    const auto read = [&] {
      const std::shared_lock guard(mutex);
      ++readers;
      PLUMB_ASSERT(writers == 0);
      --readers;
    };
    std::thread a(read), b(read);
    {
      const std::lock_guard guard(mutex);
      ++writers;
      PLUMB_ASSERT(readers == 0);
      --writers;
    }
    a.join();
    b.join();
  });
}

PLUMB_TEST(two_readers_can_be_in_at_once) {
  test.expect("assertion").run([] {
    std::shared_mutex mutex;
    std::atomic<int> readers = 0;
    const auto read = [&] {
      const std::shared_lock guard(mutex);
      const int now = ++readers;
      PLUMB_ASSERT(now == 1);
      --readers;
    };
    in_parallel(read, read);
  });
}

PLUMB_TEST(a_shared_lock_orders_no_writes_of_two_holders) {
  test.expect("race").run([] {
    std::shared_mutex mutex;
    int count = 0;
    const auto add = [&] {
      const std::shared_lock guard(mutex);
      ++count;
    };
    in_parallel(add, add);
  });
}

PLUMB_TEST(a_reader_sees_what_the_writer_wrote) {
  test.run([] {
    std::shared_mutex mutex;
    int first = 0, second = 0;
    in_parallel(
        [&] {
          const std::lock_guard guard(mutex);
          first = second = 1;
        },
        [&] {
          const std::shared_lock guard(mutex);
          PLUMB_ASSERT(first == second);
        });
  });
}

PLUMB_TEST(a_timed_shared_mutex_gives_up) {
  test.expect("assertion").run([] {
    std::shared_timed_mutex mutex;
    bool got = true;
    in_parallel([&] { const std::lock_guard guard(mutex); },
                [&] {
                  got = mutex.try_lock_shared_for(milliseconds(1));
                  if (got) mutex.unlock_shared();
                });
    PLUMB_ASSERT(got);
  });
}

PLUMB_TEST(unlocking_a_shared_mutex_that_is_free_is_misuse) {
  test.expect("misuse").run([] {
    std::shared_mutex mutex;
    mutex.unlock_shared();
  });
}

PLUMB_TEST(spin_locks_exclude) {
  test.run([] {
    pthread_spinlock_t spin;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    int count = 0;
    const auto add = [&] {
      pthread_spin_lock(&spin);
      ++count;
      pthread_spin_unlock(&spin);
    };
    in_parallel(add, add);
    PLUMB_ASSERT(count == 2);
    pthread_spin_destroy(&spin);
  });
}

// Global: its state must not survive an execution.
static std::mutex left_locked;

PLUMB_TEST(what_an_execution_leaves_locked_is_free_in_the_next) {
  test.run([] {
    std::atomic<int> turn = 0;
    in_parallel([&] { turn = 1; }, [&] { turn = 2; });
    left_locked.lock();
  });
}

namespace {

void make_robust(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
}

}  // namespace

PLUMB_TEST(robust_mutexes_that_are_unlocked_are_mutexes) {
  test.run([] {
    static pthread_mutex_t mutex;
    make_robust(mutex);
    int count = 0;
    const auto add = [&] {
      pthread_mutex_lock(&mutex);
      ++count;
      pthread_mutex_unlock(&mutex);
    };
    in_parallel(add, add);
    PLUMB_ASSERT(count == 2);
    pthread_mutex_destroy(&mutex);
  });
}

PLUMB_TEST(times_that_are_none_are_refused) {
  test.run([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const timespec bad = {0, 1'000'000'000}, worse = {0, -1};
    PLUMB_ASSERT(pthread_mutex_timedlock(&mutex, &bad) == 0);
    std::thread([&] {
      PLUMB_ASSERT(pthread_mutex_timedlock(&mutex, &bad) == EINVAL);
    }).join();
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    PLUMB_ASSERT(pthread_cond_timedwait(&condition, &mutex, &worse) == EINVAL);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    PLUMB_ASSERT(pthread_rwlock_timedrdlock(&lock, &bad) == EINVAL);
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    PLUMB_ASSERT(sem_timedwait(&semaphore, &worse) == -1 && errno == EINVAL);
    PLUMB_ASSERT(nanosleep(&bad, nullptr) == -1 && errno == EINVAL);
    PLUMB_ASSERT(clock_nanosleep(CLOCK_REALTIME, 0, &worse, nullptr) == EINVAL);
    sem_destroy(&semaphore);
  });
}
