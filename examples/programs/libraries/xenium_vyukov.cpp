// SPDX-License-Identifier: Apache-2.0
// xenium: Vyukov's bounded queue.
//
// In a file of its own, as it has no thread_local data: it waits in loops.
#include "../calls.h"
#include "library.h"

#if __has_include(<xenium/vyukov_bounded_queue.hpp>)
#include <xenium/vyukov_bounded_queue.hpp>

namespace {

template <bool kWeak>
class Vyukov {
 public:
  bool enq(int item) {
    return kWeak ? queue_.try_push_weak(item) : queue_.try_push_strong(item);
  }
  std::optional<int> deq() {
    int item = 0;
    const bool found =
        kWeak ? queue_.try_pop_weak(item) : queue_.try_pop_strong(item);
    return given(found, item);
  }

 private:
  xenium::vyukov_bounded_queue<int> queue_{2};
};

}  // namespace

// Each slot has a ticket; who comes too early waits for the one before:
// linearizable for sequentially consistent memory.
PLUMB_TEST(xenium_vyukov_bounded_queue) {
  auto [enq, deq] = queue_calls<Vyukov<false>>(test, "queue(2)");
  test.memory("sc");
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq()).programs(2, 2);
}

// Who looks whether it is full reads the head relaxed.  Not on x86.
PLUMB_TEST(xenium_vyukov_bounded_queue_full_too_long) {
  auto [enq, deq] = queue_calls<Vyukov<false>>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(deq(), enq(1)).thread(enq(2), enq(3));
}

// The weak operations do not wait: a dequeue finds nothing behind an enqueue
// that is not done yet, though a later one is.
PLUMB_TEST(xenium_vyukov_bounded_queue_weak) {
  auto [enq, deq] = queue_calls<Vyukov<true>>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(enq(1)).thread(enq(2), deq());
}
PLUMB_TEST(xenium_vyukov_bounded_queue_may_refuse_and_miss) {
  auto [enq, deq] = queue_and_model<Vyukov<true>, WeakQueue<2, true>>(test);
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}
#else
PLUMB_WITHOUT_LIBRARY(xenium)
#endif
