// SPDX-License-Identifier: Apache-2.0
// plumb::choose() outside of threads: a choice stays where it was made.
#include <plumb/test.h>

#include <atomic>

namespace {

struct Counter {
  std::atomic<int> value{0};
  int mode = 0;

  void prepare() { mode = static_cast<int>(plumb::choose(3)); }
  void nothing() {}
  int inc() {
    if (mode != 2) return value.fetch_add(1);
    const int before = value.load();
    value.store(before + 1);
    return before;
  }
};

struct Model {
  int value = 0;
  void prepare() {}
  void nothing() {}
  int inc() { return value++; }
  bool operator==(const Model& other) const { return value == other.value; }
};

}  // namespace

// The first thread has no event at all, and the main thread chooses again
// afterwards: a run with few switches must not put the others first.
PLUMB_TEST(before_and_after) {
  auto counter = test.object<Counter, Model>();
  auto prepare = counter.operation("prepare", PLUMB_METHOD(prepare));
  auto nothing = counter.operation("nothing", PLUMB_METHOD(nothing));
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  test.expect("violated");
  test.program()
      .before(prepare())
      .thread(nothing())
      .thread(inc())
      .thread(inc())
      .after(prepare());
}
