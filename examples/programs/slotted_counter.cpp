// SPDX-License-Identifier: Apache-2.0
#include "slotted_counter.h"

#include <tuple>

namespace {

struct Model {
  int value = 0;
  void inc() { ++value; }
  int get() const { return value; }
  bool operator==(const Model& other) const { return value == other.value; }
};

template <typename Counter>
auto calls(plumb::Test& test) {
  auto counter = test.object<Counter, Model>();
  return std::tuple(counter.operation("inc", PLUMB_METHOD(inc)),
                    counter.operation("get", PLUMB_METHOD(get)));
}

}  // namespace

PLUMB_TEST(slotted_counter) {
  auto [inc, get] = calls<SlottedCounter<>>(test);
  test.program()
      .before(inc())
      .thread(inc(), get())
      .thread(inc(), get())
      .after(get());
}
PLUMB_TEST(slotted_counter_generated) {
  calls<SlottedCounter<>>(test);
  test.programs(2, 2);
}

// Two threads read the same number and write the same one.
PLUMB_TEST(slotted_counter_shared) {
  auto [inc, get] =
      calls<SlottedCounter<SlottedCounterOptions{.share = true}>>(test);
  test.expect("violated");
  test.program().thread(inc()).thread(inc()).after(get());
}
