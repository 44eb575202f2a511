// SPDX-License-Identifier: Apache-2.0
// A thread that static objects have started.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<int> shared = 0;
int plain = 0;

struct Early {
  std::thread thread;
  Early()
      : thread([] {
          plain = 1;
          shared = 1;
        }) {}
  ~Early() { thread.join(); }
} early;

}  // namespace

PLUMB_TEST(beside_a_thread_of_a_static_object) {
  test.run([] {
    if (shared == 0) plain = 2;
  });
}
