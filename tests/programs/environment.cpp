// SPDX-License-Identifier: Apache-2.0
// Tests of the environment, which was changed before they began: each execution
// finds it as it was then.
#include <plumb/test.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

const int early = setenv("EARLY", "yes", 1);

bool is_as_it_was() {
  const char* const value = getenv("EARLY");
  return value != nullptr && std::strcmp(value, "yes") == 0 &&
         getenv("LATE") == nullptr;
}

// So that there are several executions.
void run_beside_another() {
  std::atomic<int> count = 0;
  const auto add = [&] { ++count, ++count; };
  std::thread other(add);
  add();
  other.join();
}

}  // namespace

PLUMB_TEST(it_may_be_cleared) {
  test.run([] {
    PLUMB_ASSERT(early == 0 && is_as_it_was());
    clearenv();
    PLUMB_ASSERT(getenv("EARLY") == nullptr);
    run_beside_another();
  });
}

PLUMB_TEST(it_may_grow) {
  test.run([] {
    PLUMB_ASSERT(is_as_it_was());
    setenv("LATE", "yes", 1);
    setenv("EARLY", "no", 1);
    run_beside_another();
  });
}

PLUMB_TEST(it_may_be_cleared_and_grow) {
  test.run([] {
    PLUMB_ASSERT(is_as_it_was());
    clearenv();
    setenv("LATE", "yes", 1);
    run_beside_another();
    clearenv();
  });
}
