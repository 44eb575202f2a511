// SPDX-License-Identifier: Apache-2.0
// Loops that take locks or try to: they are cut where nothing changes, so the
// search ends; and not where something does.
#include <plumb/test.h>

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread one(first), other(second);
  one.join();
  other.join();
}

PLUMB_TEST(polling_under_a_mutex) {
  test.run([] {
    std::mutex mutex;
    bool ready = false;
    in_parallel(
        [&] {
          for (;;) {
            const std::lock_guard lock(mutex);
            if (ready) break;
          }
        },
        [&] {
          const std::lock_guard lock(mutex);
          ready = true;
        });
  });
}

PLUMB_TEST(polling_under_a_mutex_with_a_counter) {
  test.expect("assertion").set("steps", "60").run([] {
    std::mutex mutex;
    bool ready = false;
    int rounds = 0;
    in_parallel(
        [&] {
          for (;; ++rounds) {
            const std::lock_guard lock(mutex);
            if (ready) break;
          }
        },
        [&] {
          const std::lock_guard lock(mutex);
          ready = true;
        });
    PLUMB_ASSERT(rounds != 3);
  });
}

PLUMB_TEST(trying_until_it_works) {
  test.run([] {
    std::mutex mutex;
    int count = 0;
    const auto add = [&] {
      while (!mutex.try_lock()) {
      }
      ++count;
      mutex.unlock();
    };
    in_parallel(add, add);
    PLUMB_ASSERT(count == 2);
  });
}

PLUMB_TEST(trying_a_semaphore_until_it_works) {
  test.run([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    in_parallel(
        [&] {
          while (sem_trywait(&semaphore) != 0) std::this_thread::yield();
        },
        [&] { sem_post(&semaphore); });
  });
}

// Who tries may be told to stop; but it will get the lock.
PLUMB_TEST(who_tries_gets_the_lock_at_last) {
  test.run([] {
    std::mutex mutex;
    std::atomic<int> stop{0};
    in_parallel(
        [&] {
          while (stop.load() == 0) {
            if (!mutex.try_lock()) continue;
            mutex.unlock();
            return;
          }
        },
        [&] {
          mutex.lock();
          mutex.unlock();
        });
  });
}

PLUMB_TEST(who_tries_never_gets_the_lock) {
  test.expect("livelock").run([] {
    std::mutex mutex;
    in_parallel(
        [&] {
          while (!mutex.try_lock()) {
          }
          mutex.unlock();
        },
        [&] { mutex.lock(); });
  });
}

PLUMB_TEST(waiting_for_an_atomic) {
  test.run([] {
    std::atomic<int> value{0};
    in_parallel(
        [&] {
          value.wait(0);
          PLUMB_ASSERT(value.load() == 1);
        },
        [&] {
          value.store(1);
          value.notify_one();
        });
  });
}

PLUMB_TEST(a_semaphore_of_the_standard) {
  test.run([] {
    std::counting_semaphore<4> semaphore(0);
    in_parallel([&] { semaphore.acquire(); }, [&] { semaphore.release(); });
  });
}

// GCC does not announce one store in libstdc++'s stop_token (a structure that
// is returned in a register); an audited search follows it, but not in seconds.
PLUMB_TEST(a_wait_that_is_stopped) {
  test.set("audit", "off");
  test.run([] {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::stop_source source;
    in_parallel(
        [&] {
          std::unique_lock lock(mutex);
          condition.wait(lock, source.get_token(), [] { return false; });
        },
        [&] { source.request_stop(); });
  });
}

}  // namespace
