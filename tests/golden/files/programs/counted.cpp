// SPDX-License-Identifier: Apache-2.0
// A test of a shared library that has data of its own.
#include <plumb/test.h>

#include <mutex>
#include <thread>

extern int count;
void add();

PLUMB_TEST(counted) {
  test.run([] {
    std::mutex mutex;
    const auto work = [&] {
      const std::lock_guard lock(mutex);
      add();
    };
    std::thread other(work);
    work();
    other.join();
    PLUMB_ASSERT(count == 2);
  });
}
