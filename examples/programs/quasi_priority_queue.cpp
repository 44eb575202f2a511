// SPDX-License-Identifier: Apache-2.0
#include "quasi_priority_queue.h"

// The program of Round-Up's Tables II and III: 2*2+4.
namespace {

template <std::uint32_t kSegment, bool kFarAway>
void two_two_four(plumb::Test& test) {
  auto queue = test.object<QuasiPriorityQueue<kSegment, kFarAway>>();
  auto insert = queue.operation("insert", PLUMB_METHOD(insert));
  auto remove_min = queue.operation("remove_min", PLUMB_METHOD(remove_min));
  test.spec("priority_queue");
  test.program()
      .thread(insert(1), insert(2))
      .thread(insert(3), insert(4))
      .after(remove_min(), remove_min(), remove_min(), remove_min());
}

}  // namespace

PLUMB_TEST(quasi_priority_queue_linearizable) {
  two_two_four<3, false>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_priority_queue) {
  two_two_four<3, false>(test);
  test.condition("quasi(remove_min=2)");
}
PLUMB_TEST(quasi_priority_queue_factor_too_small) {
  two_two_four<3, false>(test);
  test.condition("quasi(remove_min=1)").expect("violated");
}

// b2: 4 comes out first: three places away.
PLUMB_TEST(quasi_priority_queue_b2_linearizable) {
  two_two_four<3, true>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_priority_queue_b2) {
  two_two_four<3, true>(test);
  test.condition("quasi(remove_min=2)").expect("violated");
}

// Segments of one item: a plain priority queue.  An insertion never waits.
PLUMB_TEST(quasi_priority_queue_of_one) {
  auto queue = test.object<QuasiPriorityQueue<1>>();
  queue.operation("insert", PLUMB_METHOD(insert)).values(1, 2);
  queue.operation("remove_min", PLUMB_METHOD(remove_min));
  test.spec("priority_queue").programs(2, 2);
}

// With segments of two, an insertion waits for the removal that closes the
// segment; if nobody comes, for ever.
PLUMB_TEST(quasi_priority_queue_waits) {
  auto queue = test.object<QuasiPriorityQueue<2>>();
  auto insert = queue.operation("insert", PLUMB_METHOD(insert));
  auto remove_min = queue.operation("remove_min", PLUMB_METHOD(remove_min));
  test.spec("priority_queue").condition("quasi(remove_min=1)");
  test.program()
      .before(insert(2), insert(3))
      .thread(insert(1))
      .thread(remove_min(), remove_min())
      .after(remove_min());
}
