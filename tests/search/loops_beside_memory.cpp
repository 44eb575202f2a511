// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations differ in what no picture of the heap and of globals
// shows: each test fails in an execution that is lost if a loop is cut that
// must not be.
#include <plumb/test.h>

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

namespace {

// Calls `round` again and again until another thread sets a flag, or until it
// says true: which must be seen.
template <typename Round>
void must_be_seen(Round round) {
  std::atomic<int> stop{0};
  bool seen = false;
  std::thread looper([&] {
    while (stop.load() == 0) {
      if (round()) {
        seen = true;
        break;
      }
    }
  });
  std::thread stopper([&] { stop.store(1); });
  looper.join();
  stopper.join();
  PLUMB_ASSERT(!seen);
}

// Not inlined: accesses to it are hidden from who looks at one function.
[[gnu::noinline]] bool count_to_four(int& counter) {
  return ++counter == 4;
}

PLUMB_TEST(a_counter_on_the_stack_of_main) {
  test.expect("assertion").run([] {
    int counter = 0;
    must_be_seen([&] { return count_to_four(counter); });
  });
}

thread_local int own_counter = 0;

PLUMB_TEST(a_counter_in_thread_local_data) {
  test.expect("assertion").run([] {
    must_be_seen([] { return count_to_four(own_counter); });
  });
}

PLUMB_TEST(a_counter_in_thread_local_data_of_main) {
  test.expect("assertion").run([] {
    int* counter = &own_counter;
    must_be_seen([=] { return count_to_four(*counter); });
  });
}

PLUMB_TEST(a_semaphore_that_is_drained) {
  test.expect("assertion").run([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 3);
    must_be_seen([&] { return sem_trywait(&semaphore) != 0; });
  });
}

PLUMB_TEST(a_semaphore_that_is_filled) {
  test.expect("assertion").run([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    must_be_seen([&] {
      int value = 0;
      sem_post(&semaphore);
      sem_getvalue(&semaphore, &value);
      return value == 4;
    });
  });
}

PLUMB_TEST(a_recursive_mutex_that_is_held_more_and_more) {
  test.expect("assertion").run([] {
    std::recursive_mutex mutex;
    std::atomic<int> stop{0};
    std::thread looper([&] {
      while (stop.load() == 0) mutex.lock();
      mutex.unlock();
    });
    std::thread stopper([&] { stop.store(1); });
    looper.join();
    stopper.join();
    PLUMB_ASSERT(mutex.try_lock());
  });
}

PLUMB_TEST(a_lock_for_readers_that_is_kept) {
  test.expect("assertion").run([] {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    bool kept = false;
    std::atomic<int> stop{0};
    std::thread looper([&] {
      while (stop.load() == 0) pthread_rwlock_tryrdlock(&lock);
    });
    std::thread stopper([&] { stop.store(1); });
    looper.join();
    stopper.join();
    kept = pthread_rwlock_trywrlock(&lock) != 0;
    PLUMB_ASSERT(!kept);
  });
}

PLUMB_TEST(a_value_under_a_key) {
  test.expect("assertion").run([] {
    pthread_key_t key;
    pthread_key_create(&key, nullptr);
    must_be_seen([=] {
      auto* last = static_cast<char*>(pthread_getspecific(key));
      pthread_setspecific(key, last + 1);
      return last == static_cast<char*>(nullptr) + 3;
    });
  });
}

PLUMB_TEST(an_error_number) {
  test.expect("assertion").run([] {
    must_be_seen([] { return ++errno == 3; });
  });
}

PLUMB_TEST(time_that_passes) {
  test.expect("assertion").run([] {
    using Clock = std::chrono::steady_clock;
    std::atomic<int> stop{0};
    bool late = false;
    std::thread looper([&] {
      const auto begin = Clock::now();
      while (stop.load() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      late = Clock::now() - begin > std::chrono::milliseconds(25);
    });
    std::thread stopper([&] { stop.store(1); });
    looper.join();
    stopper.join();
    PLUMB_ASSERT(!late);
  });
}

// What a call told before the loop decides how the loop goes; the events are
// the same but for that.
template <typename Call>
void told_before_the_loop(Call call) {
  std::atomic<int> stop{0};
  bool impatient = false;
  std::thread looper([&] {
    const bool special = call(0);
    int rounds = 0;
    while (stop.load() == 0) {
      if (special && ++rounds == 3) {
        impatient = true;
        break;
      }
    }
  });
  std::thread other([&] {
    call(1);
    stop.store(1);
  });
  looper.join();
  other.join();
  PLUMB_ASSERT(!impatient);
}

PLUMB_TEST(the_value_of_a_semaphore) {
  test.expect("assertion").run([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    told_before_the_loop([&](int who) {
      if (who == 1) return sem_post(&semaphore) != 0;
      int value = 0;
      sem_getvalue(&semaphore, &value);
      return value == 1;
    });
  });
}

PLUMB_TEST(whether_a_lock_for_a_writer_could_be_had) {
  test.expect("assertion").run([] {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    told_before_the_loop([&](int who) {
      if (who == 1) return pthread_rwlock_rdlock(&lock) != 0;
      const bool failed = pthread_rwlock_trywrlock(&lock) != 0;
      if (!failed) pthread_rwlock_unlock(&lock);
      return failed;
    });
  });
}

PLUMB_TEST(whether_a_mutex_could_be_had) {
  test.expect("assertion").run([] {
    std::mutex mutex;
    told_before_the_loop([&](int who) {
      if (who == 1) return mutex.lock(), false;
      const bool failed = !mutex.try_lock();
      if (!failed) mutex.unlock();
      return failed;
    });
  });
}

PLUMB_TEST(whether_a_wait_was_in_vain) {
  test.expect("assertion").run([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    told_before_the_loop([&](int who) {
      if (who == 1) return pthread_cond_signal(&condition) != 0;
      const timespec moment = {};
      pthread_mutex_lock(&mutex);
      const int error = pthread_cond_timedwait(&condition, &mutex, &moment);
      pthread_mutex_unlock(&mutex);
      return error == 0;
    });
  });
}

PLUMB_TEST(who_came_last_to_a_barrier) {
  test.expect("assertion").run([] {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    told_before_the_loop([&](int) {
      return pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    });
  });
}

// Another thread sees what an iteration wrote, and the iteration undoes it: the
// locks that order this are as they were before.
PLUMB_TEST(plain_data_that_another_thread_saw) {
  test.expect("assertion").run([] {
    std::mutex mutex;
    std::atomic<int> ready{0}, stop{0};
    int data = 0, seen = 0;
    const auto set = [&](int value) {
      const std::lock_guard lock(mutex);
      data = value;
    };
    std::thread looper([&] {
      while (stop.load() == 0) {
        set(1);
        while (ready.load() == 0) {
        }
        set(0);
      }
    });
    std::thread other([&] {
      {
        const std::lock_guard lock(mutex);
        seen = data;
      }
      ready.store(1);
      stop.store(1);
    });
    looper.join();
    other.join();
    PLUMB_ASSERT(seen != 1);
  });
}

}  // namespace
