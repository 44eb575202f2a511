// SPDX-License-Identifier: Apache-2.0
// Loops that only wait: with each compiler their rounds are left out, or these
// would have no end.
#include <plumb/test.h>

#include <atomic>
#include <mutex>
#include <thread>

PLUMB_TEST(a_flag_is_waited_for) {
  test.set("executions", "100").run([] {
    std::atomic<int> flag = 0;
    long seen = 0, data = 0;
    std::thread waiter([&] {
      while (flag.load() == 0) {
      }
      seen = data;
    });
    data = 7;
    flag.store(1);
    waiter.join();
    PLUMB_ASSERT(seen == 7);
  });
}

PLUMB_TEST(a_lock_is_tried_until_it_is_free) {
  test.set("executions", "100").run([] {
    std::mutex mutex;
    int count = 0;
    const auto increment = [&] {
      while (!mutex.try_lock()) std::this_thread::yield();
      ++count;
      mutex.unlock();
    };
    std::thread other(increment);
    increment();
    other.join();
    PLUMB_ASSERT(count == 2);
  });
}

PLUMB_TEST(words_are_looked_at_under_a_lock) {
  test.set("executions", "100").run([] {
    std::mutex mutex;
    bool ready = false;
    std::thread waiter([&] {
      for (bool is_ready = false; !is_ready;) {
        const std::lock_guard<std::mutex> guard(mutex);
        is_ready = ready;
      }
    });
    {
      const std::lock_guard<std::mutex> guard(mutex);
      ready = true;
    }
    waiter.join();
  });
}
