// SPDX-License-Identifier: Apache-2.0
// Memory orders that are too weak: remedies.py writes what it is told instead.
//
// Each line has one operation, and its orders as C++ spells them.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

template <typename First, typename Second>
void together(const First& first, const Second& second) {
  std::thread one(first), two(second);
  one.join();
  two.join();
}

}  // namespace

PLUMB_TEST(published) {
  test.memory("rc11").run([] {
    std::atomic<int> flag{0};
    int message = 0;
    together(
        [&] {
          message = 42;
          flag.store(1, std::memory_order_relaxed);
        },
        [&] {
          const int seen = flag.load(std::memory_order_relaxed);
          if (seen == 1) PLUMB_ASSERT(message == 42);
        });
  });
}

PLUMB_TEST(dekker) {
  test.memory("rc11").run([] {
    std::atomic<int> here[2] = {};
    int seen[2] = {};
    const auto enter = [&](int me) {
      here[me].store(1, std::memory_order_release);
      seen[me] = here[1 - me].load(std::memory_order_acquire);
    };
    together([&] { enter(0); }, [&] { enter(1); });
    PLUMB_ASSERT(seen[0] == 1 || seen[1] == 1);
  });
}

PLUMB_TEST(counted) {
  test.memory("rc11").run([] {
    std::atomic<int> count{2};
    int value = 0, sum = 0;
    const auto let_go = [&](int mine) {
      if (mine == 0) value = 7;
      const int left = count.fetch_sub(1, std::memory_order_relaxed);
      if (left == 1) sum = value;
    };
    together([&] { let_go(0); }, [&] { let_go(1); });
    PLUMB_ASSERT(sum == 7);
  });
}

PLUMB_TEST(taken) {
  test.memory("rc11").run([] {
    std::atomic<int> slot{0};
    int payload = 0;
    together(
        [&] {
          payload = 1;
          slot.store(1, std::memory_order_release);
        },
        [&] {
          int expected = 2;
          slot.compare_exchange_strong(expected, 3, std::memory_order_acquire,
                                       std::memory_order_relaxed);
          if (expected == 1) PLUMB_ASSERT(payload == 1);
        });
  });
}
