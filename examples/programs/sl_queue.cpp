// SPDX-License-Identifier: Apache-2.0
#include "sl_queue.h"

#include "calls.h"

// The programs of Round-Up's Table V: two calls at once and twelve others
// before and after them.
namespace {

void enq_deq(plumb::Test& test) {
  auto [enq, deq] = queue_calls<SlQueue>(test);
  test.set("leaks", "allow");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6))
      .thread(enq(7))
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq(), deq());
}

void enq_enq(plumb::Test& test) {
  auto [enq, deq] = queue_calls<SlQueue>(test);
  test.set("leaks", "allow");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5))
      .thread(enq(6))
      .thread(enq(7))
      .after(deq(), deq(), deq(), deq(), deq(), deq(), deq());
}

void deq_deq(plumb::Test& test) {
  auto [enq, deq] = queue_calls<SlQueue>(test);
  test.set("leaks", "allow");
  test.program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6), enq(7))
      .thread(deq())
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq());
}

}  // namespace

// What C++ says about it.
PLUMB_TEST(sl_queue_enq_deq_race) {
  enq_deq(test);
  test.expect("race");
}
PLUMB_TEST(sl_queue_enq_enq_race) {
  enq_enq(test);
  test.expect("race");
}
PLUMB_TEST(sl_queue_deq_deq_race) {
  deq_deq(test);
  test.expect("race");
}

// What Round-Up says about it.
PLUMB_TEST(sl_queue_enq_deq) {
  enq_deq(test);
  test.set("races", "allow");
}
PLUMB_TEST(sl_queue_enq_enq) {
  enq_enq(test);
  test.set("races", "allow").expect("violated");
}
PLUMB_TEST(sl_queue_deq_deq) {
  deq_deq(test);
  test.set("races", "allow").expect("violated");
}
