// SPDX-License-Identifier: Apache-2.0
// Tests of condition variables, barriers, semaphores and what is built on
// futexes, as tests: `plumb test` must agree with each.
#include <plumb/test.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace {

using std::chrono::milliseconds;

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

}  // namespace

PLUMB_TEST(who_waits_with_a_predicate_is_woken) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::unique_lock lock(mutex);
          condition.wait(lock, [&] { return ready; });
          PLUMB_ASSERT(ready);
        },
        [&] {
          {
            const std::lock_guard lock(mutex);
            ready = true;
          }
          condition.notify_one();
        });
  });
}

PLUMB_TEST(a_signal_before_the_wait_is_lost) {
  test.expect("deadlock").run([] {
    std::mutex mutex;
    std::condition_variable condition;
    in_parallel(
        [&] {
          std::unique_lock lock(mutex);
          condition.wait(lock);
        },
        [&] { condition.notify_one(); });
  });
}

PLUMB_TEST(one_signal_wakes_one_of_two) {
  test.expect("deadlock").run([] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    const auto wait = [&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready; });
    };
    std::thread first(wait), second(wait);
    {
      const std::lock_guard lock(mutex);
      ready = true;
    }
    condition.notify_one();
    first.join();
    second.join();
  });
}

PLUMB_TEST(a_broadcast_wakes_both) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    const auto wait = [&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready; });
    };
    std::thread first(wait), second(wait);
    {
      const std::lock_guard lock(mutex);
      ready = true;
    }
    condition.notify_all();
    first.join();
    second.join();
  });
}

namespace {

// If two wait, one signal comes, and later one for all.  Returns who was woken
// by the first one and noticed it; 0: nobody.
int who_wakes() {
  std::mutex mutex;
  std::condition_variable condition;
  int waiting = 0, woken = 0;
  bool one = false, all = false;
  const auto wait = [&](int name) {
    std::unique_lock lock(mutex);
    ++waiting;
    condition.wait(lock, [&] { return all || one; });
    if (!all) woken = name;
    one = false;
  };
  std::thread first(wait, 1), second(wait, 2);
  bool both = false;
  {
    const std::lock_guard lock(mutex);
    both = one = waiting == 2;
  }
  if (both) condition.notify_one();
  {
    const std::lock_guard lock(mutex);
    all = true;
  }
  condition.notify_all();
  first.join();
  second.join();
  return woken;
}

}  // namespace

PLUMB_TEST(the_first_of_two_may_be_woken) {
  test.expect("assertion").run([] { PLUMB_ASSERT(who_wakes() != 1); });
}

PLUMB_TEST(the_second_of_two_may_be_woken) {
  test.expect("assertion").run([] { PLUMB_ASSERT(who_wakes() != 2); });
}

PLUMB_TEST(waiting_for_some_time_may_end_without_a_signal) {
  test.expect("assertion").run([] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false, in_time = true;
    in_parallel(
        [&] {
          std::unique_lock lock(mutex);
          in_time =
              condition.wait_for(lock, milliseconds(10), [&] { return ready; });
        },
        [&] {
          const std::lock_guard lock(mutex);
          ready = true;
          condition.notify_one();
        });
    PLUMB_ASSERT(in_time);
  });
}

PLUMB_TEST(waiting_for_some_time_needs_no_signal) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    const auto end = std::chrono::steady_clock::now() + milliseconds(50);
    const auto status = condition.wait_until(lock, end);
    PLUMB_ASSERT(status == std::cv_status::timeout);
    PLUMB_ASSERT(std::chrono::steady_clock::now() >= end);
  });
}

// One who gives up must not take the signal away from one who does not, nor
// the other way round.
PLUMB_TEST(who_gives_up_loses_no_signal) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    int items = 0, taken = 0;
    std::thread patient([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return items > 0; });
      --items;
      ++taken;
    });
    std::thread hasty([&] {
      std::unique_lock lock(mutex);
      const bool some =
          condition.wait_for(lock, milliseconds(1), [&] { return items > 0; });
      if (!some) return;
      --items;
      ++taken;
      ++items;  // puts one back, for who is patient
      condition.notify_one();
      --taken;
    });
    {
      const std::lock_guard lock(mutex);
      ++items;
    }
    condition.notify_one();
    patient.join();
    hasty.join();
    PLUMB_ASSERT(taken == 1);
  });
}

PLUMB_TEST(a_timed_waiter_may_take_the_only_signal) {
  test.expect("deadlock").run([] {
    std::mutex mutex;
    std::condition_variable condition;
    int items = 0;
    std::thread patient([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return items > 0; });
    });
    std::thread hasty([&] {
      std::unique_lock lock(mutex);
      condition.wait_for(lock, milliseconds(1));
    });
    {
      const std::lock_guard lock(mutex);
      ++items;
    }
    condition.notify_one();
    patient.join();
    hasty.join();
  });
}

PLUMB_TEST(a_signal_orders_nothing) {
  test.expect("race").run([] {
    std::mutex mutex;
    std::condition_variable condition;
    std::atomic<bool> waits = false;
    int data = 0;
    in_parallel(
        [&] {
          std::unique_lock lock(mutex);
          waits.store(true, std::memory_order_relaxed);
          condition.wait_for(lock, milliseconds(1));
          data = 2;
        },
        [&] {
          data = 1;
          condition.notify_one();
        });
  });
}

PLUMB_TEST(waiting_without_the_mutex_is_misuse) {
  test.expect("misuse").run([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_cond_wait(&condition, &mutex);
  });
}

PLUMB_TEST(a_condition_variable_ends_before_its_waiters) {
  test.expect("misuse").run([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    bool waits = false;
    in_parallel(
        [&] {
          const timespec end = {0, 0};
          pthread_mutex_lock(&mutex);
          waits = true;
          pthread_cond_timedwait(&condition, &mutex, &end);
          waits = false;
          pthread_mutex_unlock(&mutex);
        },
        [&] {
          pthread_mutex_lock(&mutex);
          if (waits) pthread_cond_destroy(&condition);
          pthread_mutex_unlock(&mutex);
        });
  });
}

PLUMB_TEST(condition_variable_any_works_with_other_locks) {
  test.run([] {
    std::recursive_mutex mutex;
    std::condition_variable_any condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::unique_lock lock(mutex);
          while (!ready) condition.wait(lock);
        },
        [&] {
          {
            const std::lock_guard lock(mutex);
            ready = true;
          }
          condition.notify_all();
        });
  });
}

PLUMB_TEST(a_barrier_orders_all_with_all) {
  test.run([] {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    int first = 0, second = 0;
    std::atomic<int> serial = 0;
    in_parallel(
        [&] {
          first = 1;
          serial += pthread_barrier_wait(&barrier) != 0;
          PLUMB_ASSERT(second == 1);
        },
        [&] {
          second = 1;
          serial += pthread_barrier_wait(&barrier) != 0;
          PLUMB_ASSERT(first == 1);
        });
    PLUMB_ASSERT(serial == 1);
    pthread_barrier_destroy(&barrier);
  });
}

PLUMB_TEST(a_barrier_that_one_does_not_reach_is_a_deadlock) {
  test.expect("deadlock").run([] {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 3);
    in_parallel([&] { pthread_barrier_wait(&barrier); },
                [&] { pthread_barrier_wait(&barrier); });
  });
}

PLUMB_TEST(after_a_barrier_there_is_no_order) {
  test.expect("race").run([] {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    int data = 0;
    const auto write = [&] {
      pthread_barrier_wait(&barrier);
      data = 1;
    };
    in_parallel(write, write);
  });
}

static sem_t two_places;
static const int two_places_made = sem_init(&two_places, 0, 2);

// Made before the executions began: its value is read from it.
PLUMB_TEST(a_semaphore_lets_two_in) {
  test.run([] {
    PLUMB_ASSERT(two_places_made == 0);
    std::atomic<int> inside = 0;
    const auto visit = [&] {
      sem_wait(&two_places);
      PLUMB_ASSERT(++inside <= 2);
      --inside;
      sem_post(&two_places);
    };
    std::thread first(visit), second(visit);
    visit();
    first.join();
    second.join();
    int value = 0;
    sem_getvalue(&two_places, &value);
    PLUMB_ASSERT(value == 2);
  });
}

PLUMB_TEST(two_can_be_in_at_once) {
  test.expect("assertion").run([] {
    std::atomic<int> inside = 0;
    const auto visit = [&] {
      sem_wait(&two_places);
      const int now = ++inside;
      PLUMB_ASSERT(now < 2);
      --inside;
      sem_post(&two_places);
    };
    in_parallel(visit, visit);
  });
}

PLUMB_TEST(a_semaphore_that_nobody_posts_is_a_deadlock) {
  test.expect("deadlock").run([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    sem_wait(&semaphore);
  });
}

PLUMB_TEST(a_semaphore_orders_who_takes_after_who_gives) {
  test.run([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    int data = 0;
    in_parallel(
        [&] {
          data = 1;
          sem_post(&semaphore);
        },
        [&] {
          sem_wait(&semaphore);
          PLUMB_ASSERT(data == 1);
        });
    PLUMB_ASSERT(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    sem_destroy(&semaphore);
  });
}

PLUMB_TEST(atomic_wait_is_woken) {
  test.run([] {
    std::atomic<int> value = 0;
    in_parallel(
        [&] {
          value.wait(0);
          PLUMB_ASSERT(value == 1);
        },
        [&] {
          value = 1;
          value.notify_one();
        });
  });
}

PLUMB_TEST(atomic_wait_without_a_notification_may_wait_for_ever) {
  test.expect("deadlock").run([] {
    std::atomic<int> value = 0;
    in_parallel([&] { value.wait(0); }, [&] { value = 1; });
  });
}

// Not so with weaker memory: see latch_without_full_barrier in
// examples/programs/primitives.cpp.
PLUMB_TEST(a_latch_opens) {
  test.memory("sc").run([] {
    std::latch latch(2);
    int first = 0;
    in_parallel(
        [&] {
          first = 1;
          latch.arrive_and_wait();
        },
        [&] {
          latch.arrive_and_wait();
          PLUMB_ASSERT(first == 1);
        });
  });
}

PLUMB_TEST(a_counting_semaphore_counts) {
  test.run([] {
    std::counting_semaphore<2> semaphore(0);
    int data = 0;
    in_parallel(
        [&] {
          data = 1;
          semaphore.release();
        },
        [&] {
          semaphore.acquire();
          PLUMB_ASSERT(data == 1);
        });
  });
}

PLUMB_TEST(a_promise_is_kept) {
  test.run([] {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    in_parallel([&] { promise.set_value(42); },
                [&] { PLUMB_ASSERT(future.get() == 42); });
  });
}
