// SPDX-License-Identifier: Apache-2.0
// What locks, clocks and joins order in models that are weaker than sequential
// consistency, and what they do not.
#include <plumb/boxed.h>
#include <plumb/test.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Each stores, does something, and loads what the other one stored: is it the
// case that neither sees the other?
template <typename Between>
void store_and_load(const Between& between) {
  std::atomic<int> here[2] = {};
  int seen[2] = {};
  const auto enter = [&](int me) {
    between(me, [&] { here[me].store(1, kRelaxed); });
    seen[me] = here[1 - me].load(kRelaxed);
  };
  std::thread one([&] { enter(0); });
  std::thread two([&] { enter(1); });
  one.join();
  two.join();
  PLUMB_ASSERT(seen[0] == 1 || seen[1] == 1);
}

// To give back a lock may be a store, which waits in a buffer.
void stored_in_locks(plumb::Test& test) {
  test.run([] {
    std::mutex mutexes[2];
    store_and_load([&](int me, auto&& store) {
      const std::lock_guard guard(mutexes[me]);
      store();
    });
  });
}

void stored_in_readers_locks(plumb::Test& test) {
  test.run([] {
    std::shared_mutex mutexes[2];
    store_and_load([&](int me, auto&& store) {
      const std::shared_lock guard(mutexes[me]);
      store();
    });
  });
}

// To take one is a locked instruction.
void stored_before_locks(plumb::Test& test) {
  test.run([] {
    std::mutex mutexes[2];
    store_and_load([&](int me, auto&& store) {
      store();
      const std::lock_guard guard(mutexes[me]);
    });
  });
}

// To look at a clock is no barrier.
void looked_at_clocks(plumb::Test& test) {
  test.run([] {
    store_and_load([&](int, auto&& store) {
      store();
      static_cast<void>(std::chrono::steady_clock::now());
    });
  });
}

// Who tries a lock in vain follows nobody, so the store need not be seen:
// though all atomic accesses are seq_cst.
void tried_in_vain(plumb::Test& test) {
  test.run([] {
    std::atomic<int> x{0};
    std::mutex mutex;
    std::thread holder([&] {
      x.store(1);
      mutex.lock();
      mutex.unlock();
    });
    if (mutex.try_lock()) {
      mutex.unlock();
    } else {
      PLUMB_ASSERT(x.load() == 1);
    }
    holder.join();
  });
}

// What a thread did that was joined is there, also what it stored last.
void joined(plumb::Test& test) {
  test.run([] {
    std::atomic<int> x{0}, y{0};
    int other = 0, mine = 0;
    std::thread fenced([&] {
      y.store(1, kRelaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      other = x.load(kRelaxed);
    });
    std::thread stores([&] {
      x.store(1, kRelaxed);
      static_cast<void>(y.load(kRelaxed));
    });
    stores.join();
    mine = y.load(kRelaxed);
    fenced.join();
    PLUMB_ASSERT(other == 1 || mine == 1);
  });
}

}  // namespace

PLUMB_TEST(stored_in_locks_on_x86) {
  stored_in_locks(test.memory("tso").expect("assertion"));
}
PLUMB_TEST(stored_in_readers_locks_on_x86) {
  stored_in_readers_locks(test.memory("tso").expect("assertion"));
}
PLUMB_TEST(stored_before_locks_on_x86) {
  stored_before_locks(test.memory("tso"));
}
PLUMB_TEST(stored_before_locks_elsewhere) {
  stored_before_locks(test.memory("rc11").expect("assertion"));
}
PLUMB_TEST(looked_at_clocks_on_x86) {
  looked_at_clocks(test.memory("tso").expect("assertion"));
}
PLUMB_TEST(tried_in_vain_on_x86) {
  tried_in_vain(test.memory("tso"));
}
PLUMB_TEST(tried_in_vain_elsewhere) {
  tried_in_vain(test.memory("rc11").expect("assertion"));
}
PLUMB_TEST(joined_on_x86) {
  joined(test.memory("tso"));
}
PLUMB_TEST(joined_elsewhere) {
  joined(test.memory("rc11").expect("assertion"));
}

// --- messages, by the first thing that a thread does and others can see

namespace {
void send(plumb::Test& test, std::memory_order release,
          std::memory_order acquire) {
  test.memory("rc11").run([=] {
    std::atomic<bool> is_sent = false;
    int message = 0;
    std::thread sender([&] {
      message = 42;
      is_sent.store(true, release);
    });
    std::thread receiver([&] {
      if (is_sent.load(acquire)) PLUMB_ASSERT(message == 42);
    });
    sender.join();
    receiver.join();
  });
}
}  // namespace

PLUMB_TEST(a_message_is_released_and_acquired) {
  send(test, std::memory_order_release, std::memory_order_acquire);
}
PLUMB_TEST(a_message_is_sent_relaxed) {
  send(test.expect("race"), kRelaxed, std::memory_order_acquire);
}
PLUMB_TEST(a_message_is_received_relaxed) {
  send(test.expect("race"), std::memory_order_release, kRelaxed);
}

// --- calls that threads see in different orders: no time explains both

namespace {
template <std::memory_order kOrder, bool kTells>
struct Words {
  std::atomic<int> x{0}, y{0};
  void set_x() { x.store(1, std::memory_order_release); }
  void set_y() { y.store(1, std::memory_order_release); }
  int get_x() { return tell(x.load(kOrder)); }
  int get_y() { return tell(y.load(kOrder)); }
  static int tell(int value) { return kTells ? value : 0; }
};

template <typename Object>
void independent_reads(plumb::Test& test) {
  auto object = test.object<Object>();
  auto set_x = object.operation("set_x", PLUMB_METHOD(set_x));
  auto set_y = object.operation("set_y", PLUMB_METHOD(set_y));
  auto get_x = object.operation("get_x", PLUMB_METHOD(get_x));
  auto get_y = object.operation("get_y", PLUMB_METHOD(get_y));
  test.memory("rc11")
      .program()
      .thread(set_x())
      .thread(set_y())
      .thread(get_x(), get_y())
      .thread(get_y(), get_x());
}
}  // namespace

PLUMB_TEST(readers_disagree_who_came_first) {
  independent_reads<Words<std::memory_order_acquire, true>>(test);
  test.expect("violated");
}
PLUMB_TEST(readers_disagree_and_nobody_knows) {
  independent_reads<Words<std::memory_order_acquire, false>>(test);
}

// --- payloads behind pointers

namespace {
template <std::memory_order kPublish, std::memory_order kLook>
class BoxRing {
 public:
  bool enq(int value) {
    const unsigned tail = tail_.load(kRelaxed);
    if (tail - head_.load(std::memory_order_acquire) == 2) return false;
    slots_[tail % 2].store(plumb::Boxed<int>(value), kRelaxed);
    tail_.store(tail + 1, kPublish);
    return true;
  }
  std::optional<int> deq() {
    const unsigned head = head_.load(kRelaxed);
    if (head == tail_.load(kLook)) return std::nullopt;
    plumb::Boxed<int> box = slots_[head % 2].load(kRelaxed);
    head_.store(head + 1, std::memory_order_release);
    return box.take();
  }

 private:
  std::atomic<plumb::Boxed<int>> slots_[2];
  std::atomic<unsigned> head_{0}, tail_{0};
};

template <typename Ring>
void boxes(plumb::Test& test) {
  auto ring = test.object<Ring>();
  auto enq = ring.operation("enq", PLUMB_METHOD(enq));
  auto deq = ring.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue(2)")
      .set("leaks", "allow")
      .program()
      .thread(enq(1), enq(2))
      .thread(deq(), deq());
}
}  // namespace

PLUMB_TEST(boxes_are_published) {
  boxes<BoxRing<std::memory_order_release, std::memory_order_acquire>>(test);
}
PLUMB_TEST(boxes_are_published_relaxed) {
  boxes<BoxRing<kRelaxed, std::memory_order_acquire>>(test.expect("race"));
}
PLUMB_TEST(boxes_are_looked_for_relaxed) {
  boxes<BoxRing<std::memory_order_release, kRelaxed>>(test.expect("race"));
}

// --- judged by a model class, for generated programs

namespace {
template <std::memory_order kPublish>
class Ring {
 public:
  bool enq(int value) {
    const unsigned tail = tail_.load(kRelaxed);
    if (tail - head_.load(std::memory_order_acquire) == 2) return false;
    slots_[tail % 2].store(value, kRelaxed);
    tail_.store(tail + 1, kPublish);
    return true;
  }
  std::optional<int> deq() {
    const unsigned head = head_.load(kRelaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    const int value = slots_[head % 2].load(kRelaxed);
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

 private:
  std::atomic<int> slots_[2] = {};
  std::atomic<unsigned> head_{0}, tail_{0};
};

class TwoNumbers {
 public:
  bool enq(int value) {
    if (values_.size() == 2) return false;
    values_.push_back(value);
    return true;
  }
  std::optional<int> deq() {
    if (values_.empty()) return std::nullopt;
    const int first = values_.front();
    values_.pop_front();
    return first;
  }

 private:
  std::deque<int> values_;
};

template <std::memory_order kPublish>
void numbers(plumb::Test& test) {
  auto ring = test.object<Ring<kPublish>, TwoNumbers>();
  auto enq = ring.operation("enq", PLUMB_METHOD(enq));
  auto deq = ring.operation("deq", PLUMB_METHOD(deq));
  enq.values(1, 2).only_by(0);
  deq.only_by(1);
  test.programs(2, 2);
}
}  // namespace

PLUMB_TEST(numbers_are_published) {
  numbers<std::memory_order_release>(test);
}
PLUMB_TEST(numbers_are_published_relaxed) {
  numbers<kRelaxed>(test.expect("violated"));
}
PLUMB_TEST(numbers_are_published_relaxed_on_x86) {
  numbers<kRelaxed>(test.memory("tso"));
}

// --- what threads miss, they may wait for

// Neither sees the other one, so nobody tells the one that waits.
PLUMB_TEST(waits_since_both_were_missed) {
  test.memory("rc11").set("steps", "3000").expect("livelock").run([] {
    std::atomic<int> here{0}, there{0}, told{0};
    std::thread one([&] {
      here.store(1, kRelaxed);
      if (there.load(kRelaxed) == 1) told.store(1, kRelaxed);
    });
    std::thread other([&] {
      there.store(1, kRelaxed);
      if (here.load(kRelaxed) == 1) return;
      while (told.load(kRelaxed) == 0) {
      }
    });
    one.join();
    other.join();
  });
}

// A lock that is taken after another thread's, of what that one did under it.
PLUMB_TEST(reads_before_a_lock_that_waited) {
  test.memory("rc11").expect("assertion").run([] {
    std::mutex mutex;
    std::atomic<int> told{0}, first{0}, second{0};
    int seen_first = 0, seen_second = 0;
    std::thread reads([&] {
      seen_second = second.load(kRelaxed);
      seen_first = first.load(kRelaxed);
      const std::lock_guard guard(mutex);
    });
    std::thread tells([&] {
      const std::lock_guard guard(mutex);
      told.store(1, kRelaxed);
    });
    std::thread writes([&] {
      if (told.load(kRelaxed) == 0) return;
      first.store(1, kRelaxed);
      second.store(1, kRelaxed);
    });
    reads.join();
    tells.join();
    writes.join();
    PLUMB_ASSERT(seen_second == 0 || seen_first == 1);
  });
}

// --- what is no atomic access

namespace {
void is_seen(plumb::Test& test) {
  test.run([] {
    volatile bool is_there = false;
    bool seen = false;
    std::thread one([&] { is_there = true; });
    std::thread other([&] { seen = is_there; });
    one.join();
    other.join();
  });
}
}  // namespace

PLUMB_TEST(volatile_is_plain_in_cpp) {
  is_seen(test.expect("race"));
}
PLUMB_TEST(volatile_is_relaxed_to_who_asks_for_less) {
  is_seen(test.memory("sc"));
}
