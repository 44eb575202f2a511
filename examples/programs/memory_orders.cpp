// SPDX-License-Identifier: Apache-2.0
// Classic mistakes with memory orders, each beside what is right.
//
// None of these can be seen under sequential consistency, but for those that
// are data races.  Which machines show them stands beside the verdict.
#include <plumb/test.h>

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
  test.memory("rc11");
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
  test.memory("rc11");
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
  test.memory("rc11");
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
  test.memory("rc11");
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
  test.memory("rc11");
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
  test.memory("rc11");
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
  test.memory("rc11");
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
  test.memory("rc11");
  test.program().thread(enq(1), enq(2)).thread(deq(), deq());
}

}  // namespace

PLUMB_TEST(published) {
  publish<kRelease, kAcquire>(test);
}
PLUMB_TEST(published_without_release) {
  publish<kRelaxed, kAcquire>(test);
  test.expect("assertion");
}
PLUMB_TEST(published_without_acquire) {
  publish<kRelease, kRelaxed>(test);
  test.expect("assertion");
}

PLUMB_TEST(dekker_seq_cst) {
  dekker<kSeqCst, kSeqCst, false>(test);
}
PLUMB_TEST(dekker_with_fences) {
  dekker<kRelaxed, kRelaxed, true>(test);
}
PLUMB_TEST(dekker_release_acquire) {
  dekker<kRelease, kAcquire, false>(test);
  test.expect("assertion");
}

PLUMB_TEST(readers_agree) {
  independent_reads<kSeqCst>(test);
  test.expect("assertion");  // their first loads are not seq_cst
}

PLUMB_TEST(sequence_lock_with_fences) {
  sequence_lock<true>(test);
}
PLUMB_TEST(sequence_lock_without_fences) {
  sequence_lock<false>(test);
  test.expect("assertion");
}

PLUMB_TEST(hazard_pointer_seq_cst) {
  hazard_pointer<kSeqCst, kSeqCst>(test);
}
PLUMB_TEST(hazard_pointer_release) {
  hazard_pointer<kRelease, kAcquire>(test);
  test.expect("violated");
}

PLUMB_TEST(reference_count_acq_rel) {
  reference_count<std::memory_order_acq_rel>(test);
}
PLUMB_TEST(reference_count_relaxed) {
  reference_count<kRelaxed>(test);
  test.expect("race");
}

PLUMB_TEST(double_checked) {
  double_checked_locking<kAcquire, kRelease>(test);
}
PLUMB_TEST(double_checked_relaxed) {
  double_checked_locking<kRelaxed, kRelaxed>(test);
  test.expect("assertion");
}

PLUMB_TEST(ring_release) {
  ring<kRelease>(test);
}
PLUMB_TEST(ring_relaxed) {
  ring<kRelaxed>(test);
  test.expect("violated");
}
