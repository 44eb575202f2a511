// SPDX-License-Identifier: Apache-2.0
#include "shann_queue.h"

#include "calls.h"

// The smallest test: T2 reads the free slot 0, T1 fills it, T2 moves the front
// past it.
PLUMB_TEST(shann_queue) {
  auto [enq, deq] = queue_calls<ShannQueue<2, false>>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(enq(1)).thread(deq()).after(deq());
}

PLUMB_TEST(shann_queue_repaired) {
  auto [enq, deq] = queue_calls<ShannQueue<2, true>>(test, "queue(2)");
  test.program().thread(enq(1)).thread(deq()).after(deq());
  test.program()
      .before(enq(1), enq(2))
      .thread(deq())
      .thread(deq())
      .after(enq(3), enq(4), deq(), deq());
}

PLUMB_TEST(shann_queue_repaired_generated) {
  auto [enq, deq] = queue_calls<ShannQueue<2, true>>(test, "queue(2)");
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.programs(2, 2);
}
PLUMB_TEST(shann_queue_repaired_of_one_generated) {
  auto [enq, deq] = queue_calls<ShannQueue<1, true>>(test, "queue(1)");
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.programs(2, 2);
}
