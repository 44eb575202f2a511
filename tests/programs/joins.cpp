// SPDX-License-Identifier: Apache-2.0
// Tests of the ends of threads: who joins them, what they were called, what
// they leave.
#include <plumb/test.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

PLUMB_TEST(the_next_thread_is_called_as_the_one_that_was_joined) {
  test.run([] {
    std::thread::id first, second;
    std::thread([&] { first = std::this_thread::get_id(); }).join();
    std::thread([&] { second = std::this_thread::get_id(); }).join();
    PLUMB_ASSERT(first == second);
  });
}

PLUMB_TEST(threads_that_live_are_called_differently) {
  test.run([] {
    std::thread([] {}).join();
    std::atomic<int> turn = 0;
    const auto wait = [&] { ++turn; };
    std::thread one(wait), two(wait), three(wait);
    PLUMB_ASSERT(one.get_id() != two.get_id());
    PLUMB_ASSERT(two.get_id() != three.get_id());
    two.join();
    std::thread four(wait);
    PLUMB_ASSERT(one.get_id() != four.get_id());
    PLUMB_ASSERT(three.get_id() != four.get_id());
    three.join();
    one.join();
    four.join();
  });
}

PLUMB_TEST(who_never_joined_gives_a_name_of_its_own) {
  test.run([] {
    pthread_t inner[2] = {};
    std::thread one([&] {
      std::thread mine([&] { inner[0] = pthread_self(); });
      mine.join();
      std::thread again([&] { inner[1] = pthread_self(); });
      again.join();
    });
    std::thread two([] {});
    PLUMB_ASSERT(one.get_id() != two.get_id());
    two.join();
    one.join();
    PLUMB_ASSERT(inner[0] == inner[1]);
  });
}

PLUMB_TEST(a_thread_may_not_have_ended_yet) {
  test.expect("assertion").run([] {
    std::atomic<int> count = 0;
    std::thread thread([&] { ++count; });
    const int error = pthread_tryjoin_np(thread.native_handle(), nullptr);
    PLUMB_ASSERT(error == 0);
  });
}

PLUMB_TEST(a_thread_may_have_ended_already) {
  test.expect("assertion").run([] {
    std::atomic<int> count = 0;
    pthread_t thread = {};
    const auto add = [](void* to) -> void* {
      ++*static_cast<std::atomic<int>*>(to);
      return to;
    };
    pthread_create(&thread, nullptr, add, &count);
    void* result = nullptr;
    const timespec soon = {0, 0};
    const int error = pthread_timedjoin_np(thread, &result, &soon);
    PLUMB_ASSERT(error == 0 || error == ETIMEDOUT);
    PLUMB_ASSERT(error != 0 || (result == &count && count == 1));
    if (error != 0) pthread_join(thread, nullptr);
    PLUMB_ASSERT(error != 0);
  });
}

// It would wait for ever for who waits for it.
PLUMB_TEST(who_does_not_wait_is_not_stuck) {
  test.run([] {
    sem_t go;
    sem_init(&go, 0, 0);
    pthread_t thread = {};
    const auto wait = [](void* on) -> void* {
      sem_wait(static_cast<sem_t*>(on));
      return nullptr;
    };
    pthread_create(&thread, nullptr, wait, &go);
    const timespec soon = {0, 0}, bad = {0, -1};
    PLUMB_ASSERT(pthread_tryjoin_np(thread, nullptr) == EBUSY);
    PLUMB_ASSERT(pthread_timedjoin_np(thread, nullptr, &bad) == EINVAL);
    PLUMB_ASSERT(pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC,
                                      &soon) == ETIMEDOUT);
    sem_post(&go);
    pthread_join(thread, nullptr);
    sem_destroy(&go);
  });
}

PLUMB_TEST(who_asks_again_and_again_sees_the_end) {
  test.run([] {
    int plain = 0;
    pthread_t thread = {};
    const auto set = [](void* to) -> void* {
      *static_cast<int*>(to) = 1;
      return nullptr;
    };
    pthread_create(&thread, nullptr, set, &plain);
    while (pthread_tryjoin_np(thread, nullptr) == EBUSY) {
    }
    PLUMB_ASSERT(plain == 1);
  });
}

PLUMB_TEST(destructors_of_keys_run_four_times) {
  test.run([] {
    static pthread_key_t key;
    static int runs;
    runs = 0;
    pthread_key_create(&key, [](void* value) {
      ++runs;
      pthread_setspecific(key, value);
    });
    std::thread([] { pthread_setspecific(key, &runs); }).join();
    PLUMB_ASSERT(runs == PTHREAD_DESTRUCTOR_ITERATIONS);
    pthread_key_delete(key);
  });
}

PLUMB_TEST(a_value_that_comes_with_the_end_of_a_thread) {
  test.run([] {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] { promise.set_value_at_thread_exit(3); });
    PLUMB_ASSERT(future.get() == 3);
    thread.join();
  });
}

PLUMB_TEST(a_task_that_is_ready_at_the_end_of_a_thread) {
  test.run([] {
    int plain = 0;
    std::packaged_task<int()> task([&] { return plain = 3; });
    auto future = task.get_future();
    std::thread thread([&] { task.make_ready_at_thread_exit(); });
    PLUMB_ASSERT(future.get() == 3 && plain == 3);
    thread.join();
  });
}

PLUMB_TEST(what_comes_after_a_value_of_a_future_races) {
  test.expect("race").run([] {
    int plain = 0;
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] {
      promise.set_value(3);
      plain = 1;
    });
    future.get();
    plain = 2;
    thread.join();
  });
}

PLUMB_TEST(waiters_are_told_at_the_end_of_a_thread) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread thread([&] {
      std::unique_lock lock(mutex);
      ready = true;
      std::notify_all_at_thread_exit(condition, std::move(lock));
    });
    {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready; });
    }
    thread.join();
  });
}
