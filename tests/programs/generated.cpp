// SPDX-License-Identifier: Apache-2.0
// Generated programs try all values: code may treat them differently though the
// specification does not.  And code may ask which thread it is run by.
#include <plumb/test.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace {

// From bits, for one writer: what is read may be old, then new, then old.
struct RegularRegister {
  std::atomic<int> bit[4] = {1, 0, 0, 0};
  void write(int value) {
    bit[value].store(1);
    for (int i = value - 1; i >= 0; --i) bit[i].store(0);
  }
  std::optional<int> read() {
    for (int i = 0;; ++i) {
      if (bit[i].load() == 0) continue;
      return i == 0 ? std::nullopt : std::optional(i);
    }
  }
};

void write_and_read(plumb::Test& test) {
  auto object = test.object<RegularRegister>();
  auto write = object.operation("write", PLUMB_METHOD(write));
  auto read = object.operation("read", PLUMB_METHOD(read));
  write.values(1, 2, 3).only_by(0);
  read.not_by(0);
  test.spec("register").programs(2, 3);
}

// One slot for each thread and for main, which sums them up.
template <bool kRight>
struct SlottedCounter {
  std::atomic<int> slots[3] = {};
  void inc() {
    std::atomic<int>& mine = slots[plumb::thread()];
    mine.store(mine.load() + 1);
  }
  int get() {
    if (!kRight && plumb::thread() == 0) return slots[0].load();
    int sum = 0;
    for (const auto& slot : slots) sum += slot.load();
    return sum;
  }
};
struct Model {
  int value = 0;
  void inc() { ++value; }
  int get() { return value; }
  bool operator==(const Model& other) const { return value == other.value; }
};

}  // namespace

PLUMB_TEST(all_values) {
  write_and_read(test);
  test.expect("violated");
}
// The author says that the code does not care.
PLUMB_TEST(values_alike) {
  write_and_read(test);
  test.set("values", "alike");
}

// The numbers of threads; main has the one behind them.
PLUMB_TEST(numbers) {
  struct Anything {
    bool operator==(const Anything&) const { return true; }
  };
  auto asks = test.object<Anything, Anything>();
  const auto is = [&](const char* name, int number) {
    return asks.operation(name, [number](Anything&) {
      // The model is asked as well.
      PLUMB_ASSERT(plumb::thread() == number || plumb::thread() == 0);
    });
  };
  auto by_0 = is("by_0", 0);
  auto by_1 = is("by_1", 1);
  auto by_main = is("by_main", 2);
  test.program()
      .before(by_main())
      .thread(by_0())
      .thread(by_1(), by_1())
      .after(by_main());
  test.program().thread().thread(by_1());
}
PLUMB_TEST(numbers_differ) {
  test.expect("assertion");
  struct Anything {
    bool operator==(const Anything&) const { return true; }
  };
  auto asks = test.object<Anything, Anything>();
  auto ask = asks.operation(
      "ask", [](Anything&) { PLUMB_ASSERT(plumb::thread() == 0); });
  test.program().thread(ask()).thread(ask());
}
PLUMB_TEST(slots) {
  auto counter = test.object<SlottedCounter<true>, Model>();
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  auto get = counter.operation("get", PLUMB_METHOD(get));
  test.program().before(inc()).thread(inc()).thread(inc()).after(get());
}
// `get() | inc()` is wrong, and `inc() | get()`, which differs only in the
// names of threads and would be made alone, is not.
PLUMB_TEST(slots_generated) {
  auto counter = test.object<SlottedCounter<false>, Model>();
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  auto get = counter.operation("get", PLUMB_METHOD(get));
  test.expect("violated").programs(2, 1);
  (void)inc;
  (void)get;
}

// C++ says nothing of the order of these: either thread may come first.
template <typename Id, Id who()>
struct Elder {
  std::mutex mutex;
  Id last = {};
  bool is_set = false;
  int mark() {
    const std::lock_guard lock(mutex);
    last = who();
    is_set = true;
    return 0;
  }
  int look() {
    const std::lock_guard lock(mutex);
    return is_set && who() < last ? 1 : 0;
  }
};
struct NoElder {
  int mark() { return 0; }
  int look() { return 0; }
};

template <typename Object>
void mark_and_look(plumb::Test& test) {
  auto object = test.object<Object, NoElder>();
  object.operation("mark", PLUMB_METHOD(mark));
  object.operation("look", PLUMB_METHOD(look));
  test.programs(2, 1).expect("violated");
}

std::thread::id id_of_this() {
  return std::this_thread::get_id();
}
pthread_t name_of_this() {
  return pthread_self();
}
long number_of_this() {
  return gettid();
}
long number_by_call() {
  return syscall(SYS_gettid);
}

PLUMB_TEST(threads_that_know_their_ids_are_not_renamed) {
  mark_and_look<Elder<std::thread::id, id_of_this>>(test);
}
PLUMB_TEST(threads_that_know_their_names_are_not_renamed) {
  mark_and_look<Elder<pthread_t, name_of_this>>(test);
}
PLUMB_TEST(threads_that_know_their_numbers_are_not_renamed) {
  mark_and_look<Elder<long, number_of_this>>(test);
}
PLUMB_TEST(threads_that_ask_the_kernel_are_not_renamed) {
  mark_and_look<Elder<long, number_by_call>>(test);
}
