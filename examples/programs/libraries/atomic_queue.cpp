// SPDX-License-Identifier: Apache-2.0
// Maxim Egorushkin's atomic_queue: rings of slots that wait for each other.
#include "../calls.h"
#include "library.h"

#if __has_include(<atomic_queue/atomic_queue.h>)
// Its assertions ask libatomic, with clang, whether an int is lock-free.
#define NDEBUG
#include <atomic_queue/atomic_queue.h>

namespace {

template <typename Base>
class Queue {
 public:
  bool enq(int item) { return queue_.try_push(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.try_pop(item);
    return given(found, item);
  }

 private:
  Base queue_;
};

// Items that are atomic, zero for an empty slot; items of any type.
using Atomic = Queue<atomic_queue::AtomicQueue<int, 2>>;
using Any = Queue<atomic_queue::AtomicQueue2<int, 2>>;
using OneToOne =
    Queue<atomic_queue::AtomicQueue2<int, 2, true, true, false, true>>;

}  // namespace

// A counter at each end gives out slots, and who comes to a slot too early
// waits for it: linearizable for sequentially consistent memory.
PLUMB_TEST(atomic_queue_of_atomics) {
  auto [enq, deq] = queue_calls<Atomic>(test, "queue(2)");
  test.memory("sc");
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq()).programs(2, 2);
}

PLUMB_TEST(atomic_queue_of_any) {
  auto [enq, deq] = queue_calls<Any>(test, "queue(2)");
  test.memory("sc");
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq()).programs(2, 2);
}

// One thread enqueues, one dequeues.
PLUMB_TEST(atomic_queue_one_to_one) {
  auto [enq, deq] = queue_calls<OneToOne>(test, "queue(2)");
  test.memory("sc");
  enq.values(1, 2, 3).distinct();
  enq.only_by(0);
  deq.only_by(1);
  test.drain(deq()).programs(2, 3);
}

// The orders of memory are as weak as can be.  No race comes of it, but who
// looks whether the queue is full may see a head that is long gone, even one
// that moved before its own last enqueue.
PLUMB_TEST(atomic_queue_of_atomics_full_too_long) {
  auto [enq, deq] = queue_calls<Atomic>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(deq(), enq(1)).thread(enq(2), enq(3));
}
PLUMB_TEST(atomic_queue_of_any_full_too_long) {
  auto [enq, deq] = queue_calls<Any>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(deq(), enq(1)).thread(enq(2), enq(3));
}

// Full for one, empty for the other: on x86, too.
PLUMB_TEST(atomic_queue_one_to_one_full_and_empty) {
  auto [enq, deq] = queue_calls<OneToOne>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(enq(1), enq(2), enq(3)).thread(deq(), deq());
}
#else
PLUMB_WITHOUT_LIBRARY(atomic_queue)
#endif
