// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

#include <atomic>

class Counter {
 public:
  int inc() { return value_.fetch_add(1); }
  int get() const { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};

PLUMB_TEST(counter) {
  auto counter = test.object<Counter>();
  counter.operation("inc", PLUMB_METHOD(inc));
  counter.operation("get", PLUMB_METHOD(get));
  test.spec("counter");
  test.programs(2, 2);
}
