// SPDX-License-Identifier: Apache-2.0
// Classic mistakes with memory orders, each beside what is right.
//
// Each mistake is tried three times: for sequentially consistent memory, which
// shows it only where it is a data race; for x86, whose stores wait in buffers;
// and for all that C++ allows.
#include <plumb/boxed.h>
#include <plumb/test.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

// A message and a flag that says it is there.
template <std::memory_order kStore, std::memory_order kLoad>
void publish(plumb::Test& test) {
  test.run([] {
    std::atomic<int> message{0}, flag{0};
    std::thread writer([&] {
      message.store(42, kRelaxed);
      flag.store(1, kStore);
    });
    std::thread reader([&] {
      if (flag.load(kLoad) == 1) PLUMB_ASSERT(message.load(kRelaxed) == 42);
    });
    writer.join();
    reader.join();
  });
}

// Each says that it is there, then looks for the other one.
template <std::memory_order kStore, std::memory_order kLoad, bool kFences>
void dekker(plumb::Test& test) {
  test.run([] {
    std::atomic<int> here[2] = {};
    int seen[2] = {};
    const auto enter = [&](int me) {
      here[me].store(1, kStore);
      if (kFences) std::atomic_thread_fence(kSeqCst);
      seen[me] = here[1 - me].load(kLoad);
    };
    std::thread one([&] { enter(0); });
    std::thread two([&] { enter(1); });
    one.join();
    two.join();
    PLUMB_ASSERT(seen[0] == 1 || seen[1] == 1);
  });
}

// Two readers of two independent writers: do they agree who came first?
template <std::memory_order kLoad>
void independent_reads(plumb::Test& test) {
  test.run([] {
    std::atomic<int> x{0}, y{0};
    int a = 0, b = 0, c = 0, d = 0;
    std::thread write_x([&] { x.store(1, kSeqCst); });
    std::thread write_y([&] { y.store(1, kSeqCst); });
    std::thread first([&] {
      a = x.load(kAcquire);
      b = y.load(kLoad);
    });
    std::thread second([&] {
      c = y.load(kAcquire);
      d = x.load(kLoad);
    });
    write_x.join();
    write_y.join();
    first.join();
    second.join();
    PLUMB_ASSERT(!(a == 1 && b == 0 && c == 1 && d == 0));
  });
}

// Two words that change together, with a number that is odd meanwhile.
template <bool kFences>
void sequence_lock(plumb::Test& test) {
  test.run([] {
    std::atomic<int> number{0}, x{0}, y{0};
    std::thread writer([&] {
      number.store(1, kRelaxed);
      if (kFences) std::atomic_thread_fence(kRelease);
      x.store(1, kRelaxed);
      y.store(1, kRelaxed);
      number.store(2, kRelease);
    });
    std::thread reader([&] {
      const int before = number.load(kAcquire);
      const int a = x.load(kRelaxed);
      const int b = y.load(kRelaxed);
      if (kFences) std::atomic_thread_fence(kAcquire);
      const int after = number.load(kRelaxed);
      if (before == after && before % 2 == 0) PLUMB_ASSERT(a == b);
    });
    writer.join();
    reader.join();
  });
}

// The pointer is announced, then looked at once more.
template <std::memory_order kAnnounce, std::memory_order kAgain>
void hazard_pointer(plumb::Test& test) {
  test.run([] {
    std::atomic<int*> shared{new int(7)};
    std::atomic<int*> hazard{nullptr};
    std::thread reader([&] {
      int* pointer = shared.load(kRelaxed);
      hazard.store(pointer, kAnnounce);
      const bool is_still_there = shared.load(kAgain) == pointer;
      if (pointer && is_still_there) PLUMB_ASSERT(*pointer == 7);
      hazard.store(nullptr, kRelease);
    });
    std::thread owner([&] {
      int* old = shared.exchange(nullptr, kSeqCst);
      if (hazard.load(kSeqCst) != old) {
        delete old;
      } else {
        shared.store(old, kSeqCst);
      }
    });
    reader.join();
    owner.join();
    delete shared.load();
  });
}

// Who lets go last destroys.
template <std::memory_order kDecrement>
void reference_count(plumb::Test& test) {
  test.run([] {
    struct Counted {
      std::atomic<int> count{2};
      int value = 0;
    };
    auto* object = new Counted;
    const auto let_go = [object] {
      static_cast<void>(object->value);
      if (object->count.fetch_sub(1, kDecrement) == 1) delete object;
    };
    std::thread one(let_go);
    std::thread two(let_go);
    one.join();
    two.join();
  });
}

// Made once, by whoever comes first.
template <std::memory_order kLoad, std::memory_order kStore>
void double_checked_locking(plumb::Test& test) {
  test.run([] {
    std::mutex mutex;
    std::atomic<int> made{0}, content{0};
    const auto use = [&] {
      if (made.load(kLoad) == 0) {
        const std::lock_guard lock(mutex);
        if (made.load(kRelaxed) == 0) {
          content.store(5, kRelaxed);
          made.store(1, kStore);
        }
      }
      PLUMB_ASSERT(content.load(kRelaxed) == 5);
    };
    std::thread one(use);
    std::thread two(use);
    one.join();
    two.join();
  });
}

// Lamport's queue for one producer and one consumer.
template <std::memory_order kPublish>
class Ring {
 public:
  bool enq(int value) {
    const int tail = tail_.load(kRelaxed);
    if (tail - head_.load(kAcquire) == kSize) return false;
    slots_[tail % kSize].store(value, kRelaxed);
    tail_.store(tail + 1, kPublish);
    return true;
  }
  std::optional<int> deq() {
    const int head = head_.load(kRelaxed);
    if (head == tail_.load(kAcquire)) return std::nullopt;
    const int value = slots_[head % kSize].load(kRelaxed);
    head_.store(head + 1, kRelease);
    return value;
  }

 private:
  static constexpr int kSize = 2;
  std::atomic<int> slots_[kSize] = {};
  std::atomic<int> head_{0}, tail_{0};
};

template <std::memory_order kPublish>
void ring(plumb::Test& test) {
  auto queue = test.object<Ring<kPublish>>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue(2)");
  test.program().thread(enq(1), enq(2)).thread(deq(), deq());
}

// A number for each slot; items are read from slots when they are there.
template <std::memory_order kHead>
class TicketQueue {
 public:
  void enq(int item) { slot(tail_.fetch_add(1)).store(item, kRelease); }
  std::optional<int> deq() {
    int head = head_.load(kHead);
    do {
      if (tail_.load(kRelaxed) <= head) return std::nullopt;
    } while (!head_.compare_exchange_strong(head, head + 1));
    int item = 0;
    while (item == 0) item = slot(head).load(kAcquire);
    return item;
  }

 private:
  std::atomic<int>& slot(int number) {
    return slots_[static_cast<std::size_t>(number)];
  }
  std::array<std::atomic<int>, 4> slots_{};
  std::atomic<int> head_{0}, tail_{0};
};

template <std::memory_order kHead>
void tickets(plumb::Test& test) {
  auto queue = test.object<TicketQueue<kHead>>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// Who waits counts itself, then looks once more; who opens looks whether it has
// to wake somebody.
template <std::memory_order kOpen, std::memory_order kLook>
void counted_waiters(plumb::Test& test) {
  test.run([] {
    std::atomic<int> is_open{0}, waiters{0};
    bool sleeps = false, wakes = false;
    std::thread opener([&] {
      is_open.store(1, kOpen);
      wakes = waiters.load(kLook) != 0;
    });
    waiters.fetch_add(1, kSeqCst);
    sleeps = is_open.load(kSeqCst) == 0;
    opener.join();
    PLUMB_ASSERT(!sleeps || wakes);
  });
}

// A new version is written, then the pointer to it.
template <std::memory_order kStore, std::memory_order kLoad>
void new_version(plumb::Test& test) {
  test.run([] {
    std::atomic<plumb::Boxed<int>> current{plumb::Boxed<int>()};
    std::thread writer([&] { current.store(plumb::Boxed<int>(7), kStore); });
    plumb::Boxed<int> seen = current.load(kLoad);
    const bool is_there = !seen.is_empty();
    if (is_there) PLUMB_ASSERT(seen.take() == 7);
    writer.join();
    if (!is_there) current.load(kRelaxed).take();
  });
}

}  // namespace

#define MISTAKE(name, on_sc, on_x86, in_cpp, ...)   \
  PLUMB_TEST(name##_on_sc) {                        \
    __VA_ARGS__(test.memory("sc").expect(on_sc));   \
  }                                                 \
  PLUMB_TEST(name##_on_x86) {                       \
    __VA_ARGS__(test.memory("tso").expect(on_x86)); \
  }                                                 \
  PLUMB_TEST(name) {                                \
    __VA_ARGS__(test.expect(in_cpp));               \
  }

PLUMB_TEST(published) {
  publish<kRelease, kAcquire>(test);
}
MISTAKE(published_without_release, "holds", "holds", "assertion",
        publish<kRelaxed, kAcquire>)
MISTAKE(published_without_acquire, "holds", "holds", "assertion",
        publish<kRelease, kRelaxed>)

PLUMB_TEST(dekker_seq_cst) {
  dekker<kSeqCst, kSeqCst, false>(test);
}
PLUMB_TEST(dekker_with_fences) {
  dekker<kRelaxed, kRelaxed, true>(test);
}
MISTAKE(dekker_release_acquire, "holds", "assertion", "assertion",
        dekker<kRelease, kAcquire, false>)

// Their first loads are not seq_cst.
MISTAKE(readers_agree, "holds", "holds", "assertion",
        independent_reads<kSeqCst>)

PLUMB_TEST(sequence_lock_with_fences) {
  sequence_lock<true>(test);
}
MISTAKE(sequence_lock_without_fences, "holds", "holds", "assertion",
        sequence_lock<false>)

PLUMB_TEST(hazard_pointer_seq_cst) {
  hazard_pointer<kSeqCst, kSeqCst>(test);
}
MISTAKE(hazard_pointer_release, "holds", "violated", "violated",
        hazard_pointer<kRelease, kAcquire>)

PLUMB_TEST(reference_count_acq_rel) {
  reference_count<std::memory_order_acq_rel>(test);
}
MISTAKE(reference_count_relaxed, "race", "race", "race",
        reference_count<kRelaxed>)

PLUMB_TEST(double_checked) {
  double_checked_locking<kAcquire, kRelease>(test);
}
MISTAKE(double_checked_relaxed, "holds", "holds", "assertion",
        double_checked_locking<kRelaxed, kRelaxed>)

PLUMB_TEST(ring_release) {
  ring<kRelease>(test);
}
MISTAKE(ring_relaxed, "holds", "holds", "violated", ring<kRelaxed>)

PLUMB_TEST(tickets_acquire) {
  tickets<kAcquire>(test);
}
// Empty, though its own item is in.
MISTAKE(tickets_relaxed, "holds", "holds", "violated", tickets<kRelaxed>)

PLUMB_TEST(counted_waiters_seq_cst) {
  counted_waiters<kSeqCst, kSeqCst>(test);
}
MISTAKE(counted_waiters_release, "holds", "assertion", "assertion",
        counted_waiters<kRelease, kSeqCst>)

PLUMB_TEST(new_version_release) {
  new_version<kRelease, kAcquire>(test);
}
MISTAKE(new_version_relaxed, "race", "race", "race",
        new_version<kRelaxed, kAcquire>)
