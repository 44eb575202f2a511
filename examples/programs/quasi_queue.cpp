// SPDX-License-Identifier: Apache-2.0
#include "quasi_queue.h"

#include "calls.h"

// The programs of Round-Up's Tables II and III: `a*b+c`, so many calls of two
// threads, and so many of the main thread afterwards.  As many dequeues as
// enqueues; each item is put in once.
namespace {

template <typename Queue>
void two_two_four(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program()
      .thread(enq(1), enq(2))
      .thread(enq(3), enq(4))
      .after(deq(), deq(), deq(), deq());
}

template <typename Queue>
void two_three_three(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program()
      .thread(enq(1), enq(2))
      .thread(enq(3), enq(4), deq())
      .after(deq(), deq(), deq());
}

template <typename Queue>
void three_three_two(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program()
      .thread(enq(1), enq(2), deq())
      .thread(enq(3), enq(4), deq())
      .after(deq(), deq());
}

template <typename Queue>
void three_three_four(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program()
      .thread(enq(1), enq(2), enq(3))
      .thread(enq(4), enq(5), deq())
      .after(deq(), deq(), deq(), deq());
}

template <typename Queue>
void three_four_one(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program()
      .thread(enq(1), enq(2), deq())
      .thread(enq(3), enq(4), deq(), deq())
      .after(deq());
}

template <typename Queue>
void four_four_none(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program()
      .thread(enq(1), enq(2), deq(), deq())
      .thread(enq(3), enq(4), deq(), deq());
}

using Queue = QuasiQueue<3>;
using FarAway = QuasiQueue<3, QuasiBug::kFarAway>;
using TakenToo = QuasiQueue<3, QuasiBug::kTakenToo>;
using OneLook = QuasiQueue<3, QuasiBug::kOneLook>;

}  // namespace

// Table II: with segments of three it is no queue ...
PLUMB_TEST(quasi_queue_2_2_4_linearizable) {
  two_two_four<Queue>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_2_3_3_linearizable) {
  two_three_three<Queue>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_3_3_2_linearizable) {
  three_three_two<Queue>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_3_3_4_linearizable) {
  three_three_four<Queue>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_3_4_1_linearizable) {
  three_four_one<Queue>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_4_4_0_linearizable) {
  four_four_none<Queue>(test);
  test.expect("violated");
}

// ... Table III: but nothing is more than two places away.
PLUMB_TEST(quasi_queue_2_2_4) {
  two_two_four<Queue>(test);
  test.condition("quasi(deq=2)");
}
PLUMB_TEST(quasi_queue_2_3_3) {
  two_three_three<Queue>(test);
  test.condition("quasi(deq=2)");
}
PLUMB_TEST(quasi_queue_3_3_2) {
  three_three_two<Queue>(test);
  test.condition("quasi(deq=2)");
}
PLUMB_TEST(quasi_queue_3_3_4) {
  three_three_four<Queue>(test);
  test.condition("quasi(deq=2)");
}
PLUMB_TEST(quasi_queue_3_4_1) {
  three_four_one<Queue>(test);
  test.condition("quasi(deq=2)");
}
PLUMB_TEST(quasi_queue_4_4_0) {
  four_four_none<Queue>(test);
  test.condition("quasi(deq=2)");
}

// The same with factor 3.
PLUMB_TEST(quasi_queue_2_3_3_factor_3) {
  two_three_three<QuasiQueue<4>>(test);
  test.condition("quasi(deq=3)");
}
PLUMB_TEST(quasi_queue_3_3_2_factor_3) {
  three_three_two<QuasiQueue<4>>(test);
  test.condition("quasi(deq=3)");
}
PLUMB_TEST(quasi_queue_3_4_1_factor_3) {
  three_four_one<QuasiQueue<4>>(test);
  test.condition("quasi(deq=3)");
}
PLUMB_TEST(quasi_queue_4_4_0_factor_3) {
  test.memory("sc");  // there are too many graphs
  four_four_none<QuasiQueue<4>>(test);
  test.condition("quasi(deq=3)");
}

// The factor is exact: one less is not enough.
PLUMB_TEST(quasi_queue_factor_too_small) {
  two_two_four<Queue>(test);
  test.condition("quasi(deq=1)").expect("violated");
}

// Segments of one cell: a plain queue.
PLUMB_TEST(quasi_queue_of_one_cell) {
  auto [enq, deq] = queue_calls<QuasiQueue<1>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.programs(2, 2);
}

PLUMB_TEST(quasi_queue_generated) {
  auto [enq, deq] = queue_calls<QuasiQueue<2>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.condition("quasi(deq=1)").programs(2, 2);
}

// b1: the item of the second segment comes first: three places away.
PLUMB_TEST(quasi_queue_b1_linearizable) {
  two_two_four<FarAway>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_b1) {
  two_two_four<FarAway>(test);
  test.condition("quasi(deq=2)").expect("violated");
}

// b2: an item comes out twice.
PLUMB_TEST(quasi_queue_b2_linearizable) {
  two_two_four<TakenToo>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_b2) {
  two_two_four<TakenToo>(test);
  test.condition("quasi(deq=2)").expect("violated");
}

// b3: nothing comes out of a queue that is not empty.
PLUMB_TEST(quasi_queue_b3_linearizable) {
  two_two_four<OneLook>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_queue_b3) {
  two_two_four<OneLook>(test);
  test.condition("quasi(deq=2)").expect("violated");
}
