// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

#include <thread>

// Nothing orders what the two threads do.
void race() {
  int shared = 0;
  std::thread other([&] { shared = 1; });
  shared = 2;
  other.join();
}

PLUMB_TEST(as_expected) {
  test.run(race);
  test.expect("race");
}

PLUMB_TEST(something_else) {
  test.run(race);
  test.expect("deadlock");
}

PLUMB_TEST(better_than_expected) {
  test.run([] {});
  test.expect("violated");
}
