// SPDX-License-Identifier: Apache-2.0
// Tests of mutexes and the like that are used before they were made, or while
// they come to their end: that is a data race, unless something orders it.
#include <plumb/test.h>

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace {

template <typename One, typename Other>
void run_both(One one, Other other) {
  std::thread thread(one);
  other();
  thread.join();
}

pthread_mutex_t mutex;
pthread_cond_t condition;
pthread_rwlock_t lock;
pthread_spinlock_t spin;
pthread_barrier_t barrier;
sem_t semaphore;
mtx_t c_mutex;

}  // namespace

#define AT_ONCE(name, make, use)                                              \
  PLUMB_TEST(name) {                                                          \
    test.expect("violated").run([] { run_both([] { make; }, [] { use; }); }); \
  }
#define IN_ORDER(name, make, use, end)    \
  PLUMB_TEST(name) {                      \
    test.run([] {                         \
      make;                               \
      run_both([] { use; }, [] { use; }); \
      end;                                \
    });                                   \
  }

AT_ONCE(mutex_is_made, pthread_mutex_init(&mutex, nullptr),
        pthread_mutex_lock(&mutex))
AT_ONCE(mutex_is_made_and_tried, pthread_mutex_init(&mutex, nullptr),
        pthread_mutex_trylock(&mutex))
AT_ONCE(mutex_is_made_twice, pthread_mutex_init(&mutex, nullptr),
        pthread_mutex_init(&mutex, nullptr))
AT_ONCE(mutex_of_c_is_made, mtx_init(&c_mutex, mtx_plain), mtx_lock(&c_mutex))
AT_ONCE(condition_is_made, pthread_cond_init(&condition, nullptr),
        pthread_cond_signal(&condition))
AT_ONCE(condition_ends, pthread_cond_destroy(&condition),
        pthread_cond_broadcast(&condition))
AT_ONCE(lock_is_made, pthread_rwlock_init(&lock, nullptr),
        pthread_rwlock_rdlock(&lock))
AT_ONCE(lock_ends, pthread_rwlock_destroy(&lock),
        pthread_rwlock_trywrlock(&lock))
AT_ONCE(spin_lock_is_made, pthread_spin_init(&spin, 0),
        pthread_spin_trylock(&spin))
AT_ONCE(semaphore_is_made, sem_init(&semaphore, 0, 1), sem_post(&semaphore))
AT_ONCE(semaphore_ends, sem_destroy(&semaphore), sem_post(&semaphore))
AT_ONCE(barrier_is_made, pthread_barrier_init(&barrier, nullptr, 1),
        pthread_barrier_wait(&barrier))

IN_ORDER(mutex_is_made_before, pthread_mutex_init(&mutex, nullptr),
         pthread_mutex_lock(&mutex);
         pthread_mutex_unlock(&mutex), pthread_mutex_destroy(&mutex))
IN_ORDER(lock_is_made_before, pthread_rwlock_init(&lock, nullptr),
         pthread_rwlock_rdlock(&lock);
         pthread_rwlock_unlock(&lock), pthread_rwlock_destroy(&lock))
IN_ORDER(barrier_is_made_before, pthread_barrier_init(&barrier, nullptr, 2),
         pthread_barrier_wait(&barrier), pthread_barrier_destroy(&barrier))

// Who waited has it for itself when the other one has posted.
PLUMB_TEST(a_semaphore_ends_after_its_only_post) {
  test.run([] {
    sem_init(&semaphore, 0, 0);
    run_both([] { sem_post(&semaphore); },
             [] {
               sem_wait(&semaphore);
               sem_destroy(&semaphore);
             });
  });
}

PLUMB_TEST(the_last_one_destroys_a_mutex) {
  test.run([] {
    pthread_mutex_init(&mutex, nullptr);
    static int users;
    users = 2;
    const auto use = [] {
      pthread_mutex_lock(&mutex);
      const bool is_last = --users == 0;
      pthread_mutex_unlock(&mutex);
      if (is_last) pthread_mutex_destroy(&mutex);
    };
    run_both(use, use);
  });
}

// POSIX allows it: all who waited were told, and hold only the mutex.
PLUMB_TEST(a_condition_ends_after_a_broadcast) {
  test.run([] {
    pthread_mutex_init(&mutex, nullptr);
    pthread_cond_init(&condition, nullptr);
    static bool is_ready;
    is_ready = false;
    run_both(
        [] {
          pthread_mutex_lock(&mutex);
          while (!is_ready) pthread_cond_wait(&condition, &mutex);
          pthread_mutex_unlock(&mutex);
        },
        [] {
          pthread_mutex_lock(&mutex);
          is_ready = true;
          pthread_cond_broadcast(&condition);
          pthread_mutex_unlock(&mutex);
          pthread_cond_destroy(&condition);
        });
  });
}

PLUMB_TEST(a_signal_after_the_lock_comes_too_late) {
  test.expect("violated").run([] {
    struct Shared {
      std::mutex mutex;
      std::condition_variable condition;
      bool is_ready = false;
    };
    auto* const shared = new Shared;
    std::thread other([=] {
      {
        const std::lock_guard guard(shared->mutex);
        shared->is_ready = true;
      }
      shared->condition.notify_one();
    });
    {
      std::unique_lock guard(shared->mutex);
      shared->condition.wait(guard, [=] { return shared->is_ready; });
    }
    delete shared;
    other.join();
  });
}

PLUMB_TEST(a_mutex_that_was_freed_is_locked) {
  test.expect("use-after-free").run([] {
    auto* const gone = new pthread_mutex_t(PTHREAD_MUTEX_INITIALIZER);
    delete gone;
    pthread_mutex_lock(gone);
  });
}

PLUMB_TEST(a_relaxed_pointer_does_not_publish_a_mutex) {
  test.expect("race").run([] {
    std::atomic<std::mutex*> shared = nullptr;
    std::unique_ptr<std::mutex> owner;
    run_both(
        [&] {
          owner = std::make_unique<std::mutex>();
          shared.store(owner.get(), std::memory_order_relaxed);
        },
        [&] {
          auto* const found = shared.load(std::memory_order_relaxed);
          if (found != nullptr) found->try_lock();
        });
  });
}
