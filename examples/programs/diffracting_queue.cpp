// SPDX-License-Identifier: Apache-2.0
#include "diffracting_queue.h"

#include "calls.h"

namespace {

// As many dequeues as enqueues, so that nobody waits for ever.
void overtaking(plumb::Test& test) {
  auto [enq, deq] = queue_calls<DiffractingQueue<true>>(test, "blocking_queue");
  test.program()
      .thread(enq(1))
      .thread(enq(2), enq(3))
      .after(deq(), deq(), deq());
}

void mixed(plumb::Test& test) {
  auto [enq, deq] = queue_calls<DiffractingQueue<true>>(test, "blocking_queue");
  test.program().thread(enq(1), enq(2)).thread(deq(), deq());
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

}  // namespace

// T1 has toggled and sleeps; T2 puts 2 into the second queue and 3 into the
// first one: 3 comes out before 2.
PLUMB_TEST(diffracting_queue_linearizable) {
  overtaking(test);
  test.expect("violated");
}
PLUMB_TEST(diffracting_queue) {
  overtaking(test);
  test.condition("quiescent");
}
PLUMB_TEST(diffracting_queue_mixed) {
  mixed(test);
  test.condition("quiescent");
}

// T3 has toggled and sleeps; T2 has 2 and then 1, T3 waits for ever, rightly:
// the queue is empty, and since T3 came nothing was quiet.
PLUMB_TEST(diffracting_queue_waits) {
  auto [enq, deq] = queue_calls<DiffractingQueue<true>>(test, "blocking_queue");
  test.condition("quiescent");
  test.program().thread(enq(1), enq(2)).thread(deq(), deq()).thread(deq());
}

// Without waiting: "empty", an item, "empty", by one thread alone.
PLUMB_TEST(diffracting_queue_without_waiting) {
  auto [enq, deq] = queue_calls<DiffractingQueue<false>>(test);
  test.condition("quiescent").expect("violated");
  test.program().thread(deq(), enq(1), deq());
}
