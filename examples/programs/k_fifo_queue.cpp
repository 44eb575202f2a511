// SPDX-License-Identifier: Apache-2.0
#include "k_fifo_queue.h"

#include "bounded_k_fifo_queue.h"
#include "calls.h"

// The programs of Round-Up's Table V: two calls at once and twelve others
// before and after them; factor 2.
namespace {

template <typename Queue>
void enq_deq(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.condition("quasi(deq=2)");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6))
      .thread(enq(7))
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq(), deq());
}

template <typename Queue>
void enq_enq(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.condition("quasi(deq=2)");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5))
      .thread(enq(6))
      .thread(enq(7))
      .after(deq(), deq(), deq(), deq(), deq(), deq(), deq());
}

template <typename Queue>
void deq_deq(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.condition("quasi(deq=2)");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6), enq(7))
      .thread(deq())
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq());
}

using Bounded = BoundedKFifo<3, 4>;
using Unbounded = KFifo<3>;
using Small = BoundedKFifo<2, 3>;
using Open = BoundedKFifo<2, 3, KFifoOptions{.close = false}>;
using Meeting = BoundedKFifo<2, 2, KFifoOptions{.meet = true}>;

}  // namespace

PLUMB_TEST(bounded_k_fifo_enq_deq) {
  enq_deq<Bounded>(test);
}
PLUMB_TEST(bounded_k_fifo_enq_enq) {
  enq_enq<Bounded>(test);
}
PLUMB_TEST(bounded_k_fifo_deq_deq) {
  deq_deq<Bounded>(test);
}
PLUMB_TEST(k_fifo_enq_deq) {
  enq_deq<Unbounded>(test);
}
PLUMB_TEST(k_fifo_enq_enq) {
  enq_enq<Unbounded>(test);
}
PLUMB_TEST(k_fifo_deq_deq) {
  deq_deq<Unbounded>(test);
}

// No queues ...
PLUMB_TEST(bounded_k_fifo_linearizable) {
  auto [enq, deq] = queue_calls<Small>(test);
  test.expect("violated");
  test.program().before(enq(1), enq(2)).thread(deq()).thread(enq(3));
}
PLUMB_TEST(k_fifo_linearizable) {
  auto [enq, deq] = queue_calls<KFifo<2>>(test);
  test.expect("violated");
  test.program().before(enq(1), enq(2)).thread(deq()).thread(enq(3));
}

// ... but out of order by one place only, with two slots.
PLUMB_TEST(bounded_k_fifo_generated) {
  auto [enq, deq] = queue_calls<Small>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.condition("quasi(deq=1)").programs(2, 2);
}
PLUMB_TEST(k_fifo_generated) {
  auto [enq, deq] = queue_calls<KFifo<2>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.condition("quasi(deq=1)").programs(2, 2);
}

// A dequeue that does not close the segment: harmless in so small programs,
// which are not drained ...
PLUMB_TEST(bounded_k_fifo_open_generated) {
  auto [enq, deq] = queue_calls<Open>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.condition("quasi(deq=1)").programs(2, 2);
}
// ... but 1 can be overtaken by 2, and then by 3 in the same slot.
PLUMB_TEST(bounded_k_fifo_open) {
  auto [enq, deq] = queue_calls<Open>(test);
  test.condition("quasi(deq=1)").expect("violated");
  test.program()
      .before(enq(1), enq(2))
      .thread(deq(), enq(3))
      .thread(deq())
      .after(deq());
}

// The tail meets the head: T1 is about to put 5 into the first segment.  T2
// empties it, fills the second one and finds the ring full, but its head
// segment empty; T1 puts 5 in and moves the head to a new version; T2 moves the
// tail on all the same and puts 4 beside 5, in front of 2 and 3.
namespace {

template <typename Queue>
void meet(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.condition("quasi(deq=1)");
  test.program()
      .before(enq(1))
      .thread(enq(5), deq())
      .thread(deq(), enq(2), enq(3), enq(4))
      .after(deq(), deq(), deq());
}

}  // namespace

PLUMB_TEST(bounded_k_fifo_meeting) {
  meet<Meeting>(test);
  test.expect("violated");
}
