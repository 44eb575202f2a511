// SPDX-License-Identifier: Apache-2.0
// Two counters, right and wrong, and the test of either.
#pragma once

#include <plumb/test.h>

#include <atomic>

struct Counter {
  std::atomic<int> value{0};
  int inc() { return value++; }
};

struct NaiveCounter {
  std::atomic<int> value{0};
  int inc() {
    const int before = value.load();
    value.store(before + 1);
    return before;
  }
};

template <typename T>
void declare(plumb::Test& test) {
  auto counter = test.object<T>();
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc());
}
