// SPDX-License-Identifier: Apache-2.0
// Tests of threads, keys and what happens once, as tests: `plumb test` must
// agree with each.
#include <plumb/test.h>
#include <pthread.h>
#include <threads.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

void* return_it(void* argument) {
  return argument;
}

}  // namespace

PLUMB_TEST(a_thread_gives_its_result_to_who_joins_it) {
  test.run([] {
    pthread_t thread;
    int here = 0;
    PLUMB_ASSERT(pthread_create(&thread, nullptr, return_it, &here) == 0);
    void* result = nullptr;
    PLUMB_ASSERT(pthread_join(thread, &result) == 0);
    PLUMB_ASSERT(result == &here);
  });
}

PLUMB_TEST(joining_orders) {
  test.run([] {
    int data = 0;
    std::thread other([&] { data = 1; });
    other.join();
    PLUMB_ASSERT(data == 1);
  });
}

PLUMB_TEST(what_comes_before_the_join_races) {
  test.expect("race").run([] {
    int data = 0;
    std::thread other([&] { data = 1; });
    data = 2;
    other.join();
  });
}

PLUMB_TEST(threads_have_names_of_their_own) {
  test.run([] {
    const std::thread::id mine = std::this_thread::get_id();
    std::thread::id first, second;
    std::thread a([&] { first = std::this_thread::get_id(); });
    std::thread b([&] { second = std::this_thread::get_id(); });
    PLUMB_ASSERT(a.get_id() != b.get_id());
    const std::thread::id name = a.get_id();
    a.join();
    b.join();
    PLUMB_ASSERT(first == name);
    PLUMB_ASSERT(first != second && first != mine && second != mine);
    PLUMB_ASSERT(mine == std::this_thread::get_id());
  });
}

PLUMB_TEST(threads_start_threads) {
  test.run([] {
    std::atomic<int> count = 0;
    std::thread outer([&] {
      std::thread inner([&] { ++count; });
      ++count;
      inner.join();
    });
    ++count;
    outer.join();
    PLUMB_ASSERT(count == 3);
  });
}

PLUMB_TEST(threads_come_one_after_another) {
  test.run([] {
    int data = 0;
    for (int i = 0; i < 3; ++i) std::thread([&] { ++data; }).join();
    PLUMB_ASSERT(data == 3);
  });
}

PLUMB_TEST(jthread_joins_by_itself) {
  test.run([] {
    int data = 0;
    {
      const std::jthread thread([&] { data = 1; });
    }
    PLUMB_ASSERT(data == 1);
  });
}

// The library does without atomics where there is only one thread.
PLUMB_TEST(shared_pointers_count_atomically) {
  test.run([] {
    auto shared = std::make_shared<int>(5);
    std::thread other([copy = shared]() mutable { copy.reset(); });
    shared.reset();
    other.join();
  });
}

PLUMB_TEST(a_thread_that_nobody_joins_ends_the_program) {
  test.expect("assertion").run([] { std::thread thread([] {}); });
}

PLUMB_TEST(joining_twice_is_misuse) {
  test.expect("misuse").run([] {
    pthread_t thread;
    pthread_create(&thread, nullptr, return_it, nullptr);
    pthread_join(thread, nullptr);
    pthread_join(thread, nullptr);
  });
}

PLUMB_TEST(a_detached_thread_runs) {
  test.run([] {
    static std::atomic<int> count;
    std::thread([] { ++count; }).detach();
    ++count;
  });
}

namespace {

struct Notes {
  std::string text;
};

struct Noter {
  Notes* notes;
  const char* what;
  ~Noter() { notes->text += what; }
};

void* leave_early(void* argument) {
  const Noter outer{static_cast<Notes*>(argument), "o"};
  {
    const Noter inner{static_cast<Notes*>(argument), "i"};
    pthread_exit(argument);
  }
  return nullptr;
}

}  // namespace

PLUMB_TEST(pthread_exit_destroys_what_the_thread_holds) {
  test.run([] {
    Notes notes;
    pthread_t thread;
    pthread_create(&thread, nullptr, leave_early, &notes);
    void* result = nullptr;
    pthread_join(thread, &result);
    PLUMB_ASSERT(result == &notes);
    PLUMB_ASSERT(notes.text == "io");
  });
}

PLUMB_TEST(an_exception_that_nobody_catches_is_found) {
  test.expect("exception").run([] {
    std::thread([] { throw std::runtime_error("no such key"); }).join();
  });
}

// std::thread's destructor runs first: it ends the program, as it would.
PLUMB_TEST(an_exception_in_the_main_thread_is_found) {
  test.expect("exception").run([] { throw 42; });
}

PLUMB_TEST(an_exception_meets_noexcept) {
  test.expect("exception").run([] {
    const auto promise = [](bool keep) noexcept {
      if (!keep) throw std::logic_error("never");
    };
    promise(plumb::choose(2) == 1);
  });
}

namespace {

// An event while an exception is being handled.
void handle(std::atomic<int>& shared, int name) {
  try {
    ++shared;
    throw name;
  } catch (int caught) {
    ++shared;
    try {
      throw std::to_string(caught);
    } catch (const std::string& text) {
      ++shared;
      PLUMB_ASSERT(text == std::to_string(name));
    }
    PLUMB_ASSERT(caught == name);
    const auto current = std::current_exception();
    ++shared;
    try {
      std::rethrow_exception(current);
    } catch (int again) {
      PLUMB_ASSERT(again == name);
    }
  }
  PLUMB_ASSERT(std::uncaught_exceptions() == 0);
  PLUMB_ASSERT(std::current_exception() == nullptr);
}

}  // namespace

PLUMB_TEST(exceptions_are_handled_in_two_threads_at_once) {
  // What an audit traps in a throw takes 9 ms of each execution.
  test.memory("sc").set("heap", "quarantine");
  test.run([] {
    std::atomic<int> shared = 0;
    in_parallel([&] { handle(shared, 1); }, [&] { handle(shared, 2); });
  });
}

PLUMB_TEST(errno_is_each_threads_own) {
  test.run([] {
    std::atomic<int> shared = 0;
    const auto use = [&](int error) {
      errno = error;
      ++shared;
      PLUMB_ASSERT(errno == error);
      ++shared;
      PLUMB_ASSERT(errno == error);
    };
    in_parallel([&] { use(1); }, [&] { use(2); });
  });
}

PLUMB_TEST(call_once_calls_once_and_the_others_wait) {
  test.run([] {
    std::once_flag flag;
    int made = 0, calls = 0;
    std::atomic<int> step = 0;
    const auto make = [&](int name) {
      std::call_once(flag, [&] {
        ++step;
        made = name;
        ++calls;
      });
      PLUMB_ASSERT(made == 1 || made == 2);
    };
    in_parallel([&] { make(1); }, [&] { make(2); });
    PLUMB_ASSERT(calls == 1);
  });
}

PLUMB_TEST(either_may_be_the_one_who_calls) {
  test.expect("assertion").run([] {
    std::once_flag flag;
    int made = 0;
    in_parallel([&] { std::call_once(flag, [&] { made = 1; }); },
                [&] { std::call_once(flag, [&] { made = 2; }); });
    PLUMB_ASSERT(made == 2);
  });
}

PLUMB_TEST(either_may_be_the_one_who_calls_2) {
  test.expect("assertion").run([] {
    std::once_flag flag;
    int made = 0;
    in_parallel([&] { std::call_once(flag, [&] { made = 1; }); },
                [&] { std::call_once(flag, [&] { made = 2; }); });
    PLUMB_ASSERT(made == 1);
  });
}

PLUMB_TEST(what_throws_was_not_done) {
  test.run([] {
    std::once_flag flag;
    std::atomic<int> calls = 0, done = 0;
    const auto make = [&] {
      try {
        std::call_once(flag, [&] {
          if (++calls == 1) throw 1;
          ++done;
        });
      } catch (int) {
      }
    };
    in_parallel(make, make);
    PLUMB_ASSERT(calls == 2 && done == 1);
  });
}

namespace {

std::atomic<int> constructions;

struct Single {
  Single() : value(++constructions) {}
  int value;
};

Single& single() {
  static Single instance;
  return instance;
}

}  // namespace

PLUMB_TEST(a_static_variable_is_made_once_in_each_execution) {
  test.run([] {
    PLUMB_ASSERT(constructions == 0);
    in_parallel([] { PLUMB_ASSERT(single().value == 1); },
                [] { PLUMB_ASSERT(single().value == 1); });
    PLUMB_ASSERT(constructions == 1);
  });
}

namespace {

std::atomic<int> attempts;

struct Difficult {
  Difficult() {
    if (++attempts == 1) throw 1;
  }
};

void try_it() {
  try {
    static Difficult difficult;
  } catch (int) {
  }
}

}  // namespace

PLUMB_TEST(a_static_variable_whose_constructor_throws_is_tried_again) {
  test.run([] {
    in_parallel(try_it, try_it);
    PLUMB_ASSERT(attempts == 2);
  });
}

namespace {

std::atomic<int> destroyed;
pthread_key_t early_key;
const int early_key_made =
    pthread_key_create(&early_key, [](void*) { ++destroyed; });

}  // namespace

PLUMB_TEST(keys_hold_data_of_each_thread) {
  test.run([] {
    PLUMB_ASSERT(early_key_made == 0);
    pthread_key_t late_key;
    PLUMB_ASSERT(
        pthread_key_create(&late_key, [](void*) { destroyed += 10; }) == 0);
    std::atomic<int> step = 0;
    int one = 1, two = 2;
    const auto use = [&](int* mine) {
      PLUMB_ASSERT(pthread_getspecific(early_key) == nullptr);
      pthread_setspecific(early_key, mine);
      pthread_setspecific(late_key, mine);
      ++step;
      PLUMB_ASSERT(pthread_getspecific(early_key) == mine);
      PLUMB_ASSERT(pthread_getspecific(late_key) == mine);
    };
    std::thread first(use, &one), second(use, &two);
    first.join();
    second.join();
    PLUMB_ASSERT(destroyed == 22);
    PLUMB_ASSERT(pthread_getspecific(early_key) == nullptr);
    pthread_key_delete(late_key);
  });
}

PLUMB_TEST(threads_of_c_work) {
  test.run([] {
    static mtx_t mutex;
    static int count;
    PLUMB_ASSERT(count == 0);
    PLUMB_ASSERT(mtx_init(&mutex, mtx_plain) == thrd_success);
    const auto add = [](void* argument) -> int {
      mtx_lock(&mutex);
      ++count;
      mtx_unlock(&mutex);
      return *static_cast<int*>(argument);
    };
    int mine = -7, result = 0;
    thrd_t thread;
    PLUMB_ASSERT(thrd_create(&thread, add, &mine) == thrd_success);
    add(&mine);
    PLUMB_ASSERT(thrd_join(thread, &result) == thrd_success);
    PLUMB_ASSERT(result == -7 && count == 2);
    mtx_destroy(&mutex);
  });
}

// More than there can be at once, each of which starts another one.
PLUMB_TEST(many_threads_that_start_others) {
  test.run([] {
    std::atomic<int> count = 0;
    for (int i = 0; i < 25; ++i) {
      std::thread([&] { std::thread([&] { ++count; }).join(); }).join();
    }
    PLUMB_ASSERT(count == 50 / 2);
  });
}

PLUMB_TEST(many_threads_beside_another_one) {
  test.run([] {
    std::atomic<int> count = 0;
    std::thread beside([&] { ++count; });
    for (int i = 0; i < 20; ++i) {
      std::thread([] { std::thread([] {}).join(); }).join();
    }
    beside.join();
    PLUMB_ASSERT(count == 1);
  });
}

PLUMB_TEST(waiting_for_the_end_of_a_thread) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    bool is_ready = false;
    std::thread other([&] {
      std::unique_lock guard(mutex);
      is_ready = true;
      std::notify_all_at_thread_exit(condition, std::move(guard));
    });
    {
      std::unique_lock guard(mutex);
      condition.wait(guard, [&] { return is_ready; });
    }
    other.join();
  });
}

// In which order they free what they were started with makes no difference.
PLUMB_TEST(many_threads_at_once) {
  test.set("executions", "100").run([] {
    constexpr int kCount = 8;
    int numbers[kCount] = {};
    std::thread threads[kCount];
    for (int i = 0; i < kCount; ++i) {
      threads[i] = std::thread([&numbers, i] { numbers[i] = i; });
    }
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < kCount; ++i) PLUMB_ASSERT(numbers[i] == i);
  });
}
