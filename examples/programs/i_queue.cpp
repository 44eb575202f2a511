// SPDX-License-Identifier: Apache-2.0
#include "i_queue.h"

#include "calls.h"

// Round-Up's Table II, 2*2+0: T1 has drawn place 0, T2 puts 2 behind it, looks
// at place 0 and finds nothing.
PLUMB_TEST(i_queue) {
  auto [enq, deq] = queue_calls<IQueue>(test);
  test.expect("violated");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// No factor mends that: a dequeue that finds nothing is in no class.
PLUMB_TEST(i_queue_quasi) {
  auto [enq, deq] = queue_calls<IQueue>(test);
  test.condition("quasi(deq=2)").expect("violated");
  test.program()
      .thread(enq(1), deq())
      .thread(enq(2), deq())
      .after(deq(), deq());
}

// It needs two enqueues: one alone in front of dequeues does no harm.
PLUMB_TEST(i_queue_one_enqueue) {
  auto [enq, deq] = queue_calls<IQueue>(test);
  test.program().thread(enq(1), deq()).thread(deq(), deq()).after(deq());
}
