// SPDX-License-Identifier: Apache-2.0
// Calls that touch nothing that threads share may come at any time between
// their neighbours, however the search came by the run.
#include <plumb/test.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

namespace {

struct CachedRegister {
  std::atomic<int> value = 0;
  static thread_local int cache;
  static thread_local bool is_cached;
  int read() { return is_cached ? cache : value.load(); }
  void write(int to) {
    value = to;
    cache = to;
    is_cached = true;
  }
};
thread_local int CachedRegister::cache = 0;
thread_local bool CachedRegister::is_cached = false;

void declare_cached(plumb::Test& test, const char* search) {
  auto it = test.object<CachedRegister>();
  auto write = it.operation("write", PLUMB_METHOD(write));
  auto read = it.operation("read", PLUMB_METHOD(read));
  test.spec("register").set("search", search).expect("violated");
  test.program().thread(write(1), read()).thread(write(2));
}

// The first call makes no event, the one behind it the very first.
struct Forgetful {
  std::mutex mutex;
  std::deque<int> items;
  void enq(int item) {
    if (item == 3) return;
    const std::lock_guard lock(mutex);
    items.push_back(item);
  }
  std::optional<int> deq() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const int item = items.front();
    items.pop_front();
    return item;
  }
};

}  // namespace

PLUMB_TEST(a_cached_read_comes_late) {
  declare_cached(test, "exhaustive");
}

PLUMB_TEST(a_cached_read_comes_late_with_few_preemptions) {
  declare_cached(test, "preemptions");
}

PLUMB_TEST(a_cached_read_comes_late_by_chance) {
  declare_cached(test, "random");
}

PLUMB_TEST(a_call_without_events_comes_first) {
  auto queue = test.object<Forgetful>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue").set("search", "preemptions").expect("violated");
  test.program().thread(enq(3), deq());
}
