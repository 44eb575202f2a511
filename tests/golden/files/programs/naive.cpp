// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

#include <atomic>

// Two threads can get the same number.
class NaiveCounter {
 public:
  int inc() {
    const int before = value_.load();
    value_.store(before + 1);
    return before;
  }

 private:
  std::atomic<int> value_ = 0;
};

PLUMB_TEST(naive) {
  auto counter = test.object<NaiveCounter>();
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc());
}
