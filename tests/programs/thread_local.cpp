// SPDX-License-Identifier: Apache-2.0
// Tests of thread-local data, as tests: `plumb test` must agree with each.
#include <plumb/test.h>

#include <atomic>
#include <cerrno>
#include <memory_resource>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> alive;

struct Counted {
  Counted() : name(++alive) {}
  ~Counted() { --alive; }
  int name;
  std::vector<int> seen;
};

thread_local int number = 7;
thread_local int zero;
thread_local Counted counted;
thread_local char large[3000];

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

}  // namespace

PLUMB_TEST(each_thread_has_its_own) {
  test.run([] {
    std::atomic<int> step = 0;
    const auto use = [&](int mine) {
      PLUMB_ASSERT(number == 7 && zero == 0 && large[2999] == 0);
      number = zero = mine;
      large[2999] = static_cast<char>(mine);
      ++step;
      PLUMB_ASSERT(number == mine && zero == mine);
      ++step;
      PLUMB_ASSERT(number == mine && large[2999] == mine);
    };
    in_parallel([&] { use(1); }, [&] { use(2); });
    PLUMB_ASSERT(number == 2);
  });
}

// Hazard pointers and epochs take the address for a name.
PLUMB_TEST(addresses_are_different_and_stay_the_same) {
  test.run([] {
    std::atomic<int*> first = nullptr, second = nullptr;
    std::thread a([&] {
      first = &number;
      PLUMB_ASSERT(first == &number);
    });
    std::thread b([&] {
      second = &number;
      PLUMB_ASSERT(second == &number);
    });
    a.join();
    b.join();
    PLUMB_ASSERT(first != second && first != &number && second != &number);
  });
}

PLUMB_TEST(another_thread_may_look_at_it) {
  test.expect("assertion").run([] {
    static thread_local std::atomic<int> hazard = 0;
    std::atomic<std::atomic<int>*> published = nullptr;
    int seen = 0;
    in_parallel(
        [&] {
          PLUMB_ASSERT(&hazard != published);
          if (published != nullptr) seen = *published.load();
        },
        [&] {
          hazard = 5;
          published = &hazard;
          hazard = 6;
        });
    PLUMB_ASSERT(seen != 5);  // it may be, as it may be 0 and 6
    PLUMB_ASSERT(seen == 0 || seen == 6);
  });
}

PLUMB_TEST(objects_are_made_and_destroyed_with_their_threads) {
  test.run([] {
    PLUMB_ASSERT(alive == 0);
    const auto use = [] {
      counted.seen.push_back(1);
      PLUMB_ASSERT(counted.seen.size() == 1);
    };
    in_parallel(use, use);
    PLUMB_ASSERT(alive == 1);  // that of this thread
  });
}

namespace {

std::string order;

struct Last {
  char name;
  ~Last() { order += name; }
};

}  // namespace

PLUMB_TEST(destructors_run_last_made_first) {
  test.run([] {
    std::thread([] {
      thread_local const Last first{'a'};
      thread_local const Last second{'b'};
      static_cast<void>(&first);
      static_cast<void>(&second);
    }).join();
    PLUMB_ASSERT(order == "ba");
  });
}

namespace {

void handle(std::atomic<int>& shared, int name) {
  try {
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
  }
  PLUMB_ASSERT(std::current_exception() == nullptr);
}

}  // namespace

PLUMB_TEST(exceptions_are_handled_in_three_threads_at_once) {
  test.memory("sc");  // there are too many graphs
  test.run([] {
    std::atomic<int> shared = 0;
    std::thread a([&] { handle(shared, 1); }), b([&] { handle(shared, 2); });
    handle(shared, 3);
    a.join();
    b.join();
  });
}

PLUMB_TEST(an_execution_that_ends_in_a_handler_leaves_nothing) {
  test.run([] {
    PLUMB_ASSERT(std::current_exception() == nullptr);
    PLUMB_ASSERT(std::uncaught_exceptions() == 0);
    PLUMB_ASSERT(number == 7);
    std::atomic<int> shared = 0;
    in_parallel([&] { handle(shared, 1); }, [&] { handle(shared, 2); });
  });
}

PLUMB_TEST(errno_is_each_threads_own_here_too) {
  test.run([] {
    std::atomic<int> shared = 0;
    const auto use = [&](int error) {
      PLUMB_ASSERT(errno == 0);
      errno = error;
      ++shared;
      PLUMB_ASSERT(errno == error);
    };
    in_parallel([&] { use(1); }, [&] { use(2); });
  });
}

PLUMB_TEST(what_a_thread_keeps_to_itself_is_no_race) {
  test.run([] {
    const auto use = [] {
      number = 1;
      for (int i = 0; i < 10; ++i) number += i;
    };
    in_parallel(use, use);
  });
}

// It makes a key of its own: there are 1024 of them, and more executions.
PLUMB_TEST(keys_of_the_library_end_with_their_execution) {
  test.run([] {
    std::pmr::synchronized_pool_resource pool;
    std::atomic<int> one = 0, two = 0;
    const auto add = [&] {
      for (int i = 0; i < 3; ++i) ++one, ++two;
    };
    std::thread first(add), second(add);
    pool.deallocate(pool.allocate(8), 8);
    first.join();
    second.join();
  });
}
