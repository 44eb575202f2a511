// SPDX-License-Identifier: Apache-2.0
// What C++ lets fail, or end, for no reason: weak compare-exchanges and waits.
#include <plumb/test.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace {

template <typename Wait>
void hand_over(Wait wait) {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    wait(condition, lock, ready);
    PLUMB_ASSERT(ready);
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_one();
  waiter.join();
}

const auto if_not_ready = [](std::condition_variable& condition,
                             std::unique_lock<std::mutex>& lock, bool& ready) {
  if (!ready) condition.wait(lock);
};
const auto while_not_ready =
    [](std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
       bool& ready) { condition.wait(lock, [&] { return ready; }); };

// A compare-exchange that is tried once.
void try_once() {
  std::atomic<int> value{0};
  std::thread other([&] {
    int expected = 0;
    PLUMB_ASSERT(value.compare_exchange_weak(expected, 1));
  });
  other.join();
}

// A test-and-set lock whose try_lock may fail though nobody holds it.
struct Lock {
  std::atomic<bool> held{false};
  bool acquire() {
    bool expected = false;
    return held.compare_exchange_weak(expected, true);
  }
  void release() { held.store(false); }
};

// Counts its failures: another iteration is another state.
struct Impatient {
  std::atomic<int> value{0};
  int inc() {
    int seen = value.load();
    int failures = 0;
    while (!value.compare_exchange_weak(seen, seen + 1)) {
      if (++failures == 2) return -1;
    }
    return seen;
  }
};
struct Patient {
  std::atomic<int> value{0};
  int inc() {
    int seen = value.load();
    while (!value.compare_exchange_weak(seen, seen + 1)) {
    }
    return seen;
  }
};

template <typename Counter>
void count(plumb::Test& test) {
  auto counter = test.object<Counter>();
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc());
}

}  // namespace

PLUMB_TEST(waits_once) {
  test.run([] { hand_over(if_not_ready); }).expect("assertion");
}
PLUMB_TEST(waits_once_unless_told) {
  test.run([] { hand_over(if_not_ready); }).set("spurious", "cas");
}
PLUMB_TEST(waits_in_a_loop) {
  test.run([] { hand_over(while_not_ready); });
}

// A wait that ends for no reason is no way out for who is never woken.
PLUMB_TEST(nobody_wakes_it) {
  test.expect("deadlock");
  test.run([] {
    std::mutex mutex;
    std::condition_variable condition;
    std::thread waiter([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock);
    });
    waiter.join();
  });
}

PLUMB_TEST(tried_once) {
  test.run(try_once).expect("assertion");
}
PLUMB_TEST(impatient) {
  count<Impatient>(test);
  test.expect("violated");
}
PLUMB_TEST(impatient_with_loops_kept) {
  count<Impatient>(test);
  test.set("loops", "keep").expect("violated");
}
PLUMB_TEST(impatient_by_chance) {
  count<Impatient>(test);
  test.set("search", "random").expect("violated");
}
PLUMB_TEST(impatient_with_few_preemptions) {
  count<Impatient>(test);
  test.set("search", "preemptions").expect("violated");
}
// A lock that nobody else wants is not had.
PLUMB_TEST(try_lock) {
  struct Model {
    bool held = false;
    bool acquire() {
      if (held) return false;
      return held = true;
    }
    void release() { held = false; }
    bool operator==(const Model& other) const { return held == other.held; }
  };
  auto lock = test.object<Lock, Model>();
  auto acquire = lock.operation("acquire", PLUMB_METHOD(acquire));
  auto release = lock.operation("release", PLUMB_METHOD(release));
  test.expect("violated");
  test.program().thread(acquire()).thread(release());
}
PLUMB_TEST(tried_once_unless_told) {
  test.run(try_once).set("spurious", "wakes");
}
PLUMB_TEST(patient) {
  count<Patient>(test);
}
PLUMB_TEST(patient_with_loops_kept) {
  count<Patient>(test);
  test.set("loops", "keep");
}
