// SPDX-License-Identifier: Apache-2.0
// What tells states apart: here a search by states that left something out of
// them would take a state for one that it knows, and miss what comes of it.
//
// A search runs the first thread first, so what is wrong lies where the second
// one was earlier.
#include <plumb/test.h>

#include <atomic>
#include <mutex>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

thread_local int of_thread = 0;
int global = 0;

class Object {
 public:
  // Who looks early knows nothing of `data`, but sees `hint` later.
  void publish() {
    data_ = 1;
    ready_.store(1, std::memory_order_release);
    hint_.store(1, kRelaxed);
  }
  void look() { ready_.load(std::memory_order_acquire); }
  void use() {
    if (hint_.load(kRelaxed) != 0) data_ += 1;
  }

  void go() { went_.store(1); }
  void note_in_thread() {
    if (went_.load() == 0) of_thread = 1;
  }
  void note_in_global() {
    if (went_.load() == 0) global = 1;
  }
  void note_in_object() {
    if (went_.load() == 0) noted_ = 1;
  }
  void note_by_lock() {
    if (went_.load() == 0) lock_.lock();
  }
  void require_nothing() {
    went_.load();
    PLUMB_ASSERT(of_thread == 0 && global == 0 && noted_ == 0);
  }
  void require_free() { PLUMB_ASSERT(lock_.try_lock()); }

  void fails_at_will() {
    int expected = 0;
    const bool works = went_.compare_exchange_weak(expected, 1);
    PLUMB_ASSERT(works || expected != 0);
  }

  void lock() {
    while (held_.exchange(true)) {
    }
    count_ += 1;
    held_.store(false);
  }

 private:
  int data_ = 0;
  std::atomic<int> ready_{0}, hint_{0}, went_{0};
  int noted_ = 0;
  std::mutex lock_;
  std::atomic<bool> held_{false};
  int count_ = 0;
};

#define DECLARE                                                \
  auto object = test.set("search", "states").object<Object>(); \
  auto go = object.operation("go", PLUMB_METHOD(go));          \
  auto require = object.operation("require", PLUMB_METHOD(require_nothing))
#define NOTE(what) object.operation("note", PLUMB_METHOD(what))

PLUMB_TEST(who_follows_whom) {
  auto object = test.expect("race").set("search", "states").object<Object>();
  auto publish = object.operation("publish", PLUMB_METHOD(publish));
  auto look = object.operation("look", PLUMB_METHOD(look));
  auto use = object.operation("use", PLUMB_METHOD(use));
  test.program().thread(publish()).thread(look(), use());
}

PLUMB_TEST(data_of_threads) {
  DECLARE;
  test.expect("assertion");
  auto note = NOTE(note_in_thread);
  test.program().thread(go()).thread(note(), require());
}
PLUMB_TEST(globals) {
  DECLARE;
  test.expect("assertion");
  auto note = NOTE(note_in_global);
  test.program().thread(go()).thread(note(), require());
}
PLUMB_TEST(the_heap) {
  DECLARE;
  test.expect("assertion");
  auto note = NOTE(note_in_object);
  test.program().thread(go()).thread(note(), require());
}

PLUMB_TEST(locks) {
  auto object =
      test.expect("assertion").set("search", "states").object<Object>();
  auto go = object.operation("go", PLUMB_METHOD(go));
  auto note = object.operation("note", PLUMB_METHOD(note_by_lock));
  auto require = object.operation("require", PLUMB_METHOD(require_free));
  test.program().thread(go(), require()).thread(note());
}

PLUMB_TEST(what_fails_for_no_reason) {
  auto object =
      test.expect("assertion").set("search", "states").object<Object>();
  auto fails = object.operation("fails", PLUMB_METHOD(fails_at_will));
  auto go = object.operation("go", PLUMB_METHOD(go));
  test.program().thread(fails()).thread(go());
}

PLUMB_TEST(rounds_with_a_way_out) {
  auto object = test.set("search", "states").object<Object>();
  auto lock = object.operation("lock", PLUMB_METHOD(lock));
  test.program().thread(lock(), lock()).thread(lock(), lock());
}
}  // namespace
