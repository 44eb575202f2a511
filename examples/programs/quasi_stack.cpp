// SPDX-License-Identifier: Apache-2.0
#include "quasi_stack.h"

#include "calls.h"

// The program of Round-Up's Tables II and III: 2*2+4.
namespace {

template <QuasiStackBug kBug>
void two_two_four(plumb::Test& test) {
  auto [push, pop] = stack_calls<QuasiStack<kBug>>(test);
  test.program()
      .thread(push(1), push(2))
      .thread(push(3), push(4))
      .after(pop(), pop(), pop(), pop());
}

}  // namespace

PLUMB_TEST(quasi_stack_linearizable) {
  two_two_four<QuasiStackBug::kNone>(test);
}
PLUMB_TEST(quasi_stack) {
  two_two_four<QuasiStackBug::kNone>(test);
  test.condition("quasi(pop=2)");
}
PLUMB_TEST(quasi_stack_generated) {
  auto [push, pop] = stack_calls<QuasiStack<>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(pop());
  test.programs(2, 2);
}

// b1: the last of four pops finds nothing.
PLUMB_TEST(quasi_stack_b1_linearizable) {
  two_two_four<QuasiStackBug::kEmpty>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_stack_b1) {
  two_two_four<QuasiStackBug::kEmpty>(test);
  test.condition("quasi(pop=2)").expect("violated");
}

// b2: the first pop takes the item at the bottom: three places away.
PLUMB_TEST(quasi_stack_b2_linearizable) {
  two_two_four<QuasiStackBug::kFarAway>(test);
  test.expect("violated");
}
PLUMB_TEST(quasi_stack_b2) {
  two_two_four<QuasiStackBug::kFarAway>(test);
  test.condition("quasi(pop=2)").expect("violated");
}
