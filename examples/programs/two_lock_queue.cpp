// SPDX-License-Identifier: Apache-2.0
#include "two_lock_queue.h"

#include "calls.h"

PLUMB_TEST(two_lock_queue) {
  auto [enq, deq] = queue_calls<TwoLockQueue<>>(test);
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

PLUMB_TEST(two_lock_queue_generated) {
  auto [enq, deq] = queue_calls<TwoLockQueue<>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.programs(2, 2);
}

// Both dequeues take the same item.
PLUMB_TEST(two_lock_queue_head_unlocked) {
  auto [enq, deq] = queue_calls<TwoLockQueue<Collected, false>>(test);
  test.set("leaks", "allow").expect("violated");
  test.program().before(enq(1), enq(2)).thread(deq()).thread(deq());
}
