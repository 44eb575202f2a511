// SPDX-License-Identifier: Apache-2.0
#include "herlihy_wing_queue.h"

#include "calls.h"

// Round-Up's Table II, 2*2+0.  Each thread can always take something.
PLUMB_TEST(herlihy_wing_queue) {
  auto [enq, deq] = queue_calls<HerlihyWingQueue<>>(test, "blocking_queue");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// Sequentially consistent memory only: dequeues that find nothing exchange null
// for null, and graphs tell in which order.
PLUMB_TEST(herlihy_wing_queue_three) {
  test.memory("sc");
  auto [enq, deq] = queue_calls<HerlihyWingQueue<>>(test, "blocking_queue");
  test.program().thread(enq(1), deq()).thread(enq(2)).thread(deq());
}

// The smallest test: the dequeue of T1 sees that one place is drawn; T2 puts 2
// in at the next one and takes 1 from the first; T1 finds the first empty and
// gives up, though there always was an item.
PLUMB_TEST(herlihy_wing_queue_giving_up) {
  auto [enq, deq] = queue_calls<HerlihyWingQueue<true>>(test);
  test.expect("violated");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// Nothing is lost, though, and when nobody is inside all is in order.
PLUMB_TEST(herlihy_wing_queue_giving_up_quiescent) {
  auto [enq, deq] = queue_calls<HerlihyWingQueue<true>>(test);
  test.condition("quiescent");
  test.program()
      .thread(enq(1), deq())
      .thread(enq(2), deq())
      .after(deq(), deq());
}
