// SPDX-License-Identifier: Apache-2.0
#include "random_dequeue_queue.h"

#include "calls.h"

// The programs of Round-Up's Table V: two calls at once and twelve others
// before and after them; factor 2.
PLUMB_TEST(random_dequeue_queue_enq_deq) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<3>>(test);
  test.condition("quasi(deq=2)");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6))
      .thread(enq(7))
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq(), deq());
}
PLUMB_TEST(random_dequeue_queue_enq_enq) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<3>>(test);
  test.condition("quasi(deq=2)");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5))
      .thread(enq(6))
      .thread(enq(7))
      .after(deq(), deq(), deq(), deq(), deq(), deq(), deq());
}
PLUMB_TEST(random_dequeue_queue_deq_deq) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<3>>(test);
  test.condition("quasi(deq=2)");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6), enq(7))
      .thread(deq())
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq());
}

// It is no queue ...
PLUMB_TEST(random_dequeue_queue_linearizable) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<2>>(test);
  test.expect("violated");
  test.program().before(enq(1), enq(2)).thread(deq()).thread(enq(3));
}
// ... unless the window is one item wide.
PLUMB_TEST(random_dequeue_queue_of_one) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<1>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.programs(2, 2);
}
PLUMB_TEST(random_dequeue_queue_generated) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<2>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.condition("quasi(deq=1)").programs(2, 2);
}

// Without windows: 1 is overtaken by 2, then by 3: two places.
PLUMB_TEST(random_dequeue_queue_without_windows) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<2, false>>(test);
  test.condition("quasi(deq=1)").expect("violated");
  test.program()
      .before(enq(1), enq(2))
      .thread(deq(), deq())
      .thread(enq(3))
      .after(deq());
}
// Each dequeue is among the two oldest, though.
PLUMB_TEST(random_dequeue_queue_without_windows_out_of_order) {
  auto [enq, deq] = queue_calls<RandomDequeueQueue<2, false>>(test);
  test.condition("out_of_order(deq=1)");
  test.program()
      .before(enq(1), enq(2))
      .thread(deq(), deq())
      .thread(enq(3))
      .after(deq());
}
