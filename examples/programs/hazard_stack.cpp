// SPDX-License-Identifier: Apache-2.0
#include "hazard_stack.h"

#include <thread>

#include "calls.h"

PLUMB_TEST(hazard_stack) {
  auto [push, pop] = stack_calls<HazardStack<>>(test);
  test.program().before(push(1), push(2)).thread(pop()).thread(pop(), push(3));
}

// The program that shows ABA where nodes are used again (treiber_stack.cpp).
PLUMB_TEST(hazard_stack_aba) {
  auto [push, pop] = stack_calls<HazardStack<>>(test);
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

// More threads than there are hazard pointers, one after another.
PLUMB_TEST(hazard_stack_threads_come_and_go) {
  test.run([] {
    HazardStack<> stack;
    for (int i = 0; i < 6; ++i) {
      std::thread([&] {
        stack.push(i);
        PLUMB_ASSERT(stack.pop() == i);
      }).join();
    }
  });
}

// The node is freed while the slow pop reads it.
PLUMB_TEST(hazard_stack_without_second_look) {
  auto [push, pop] = stack_calls<HazardStack<false>>(test);
  test.expect("use-after-free");
  test.program().before(push(1)).thread(pop()).thread(pop());
}

// The same, though it looks again: C++ allows it, x86 does not.
PLUMB_TEST(hazard_stack_taken_out_acq_rel) {
  auto [push, pop] =
      stack_calls<HazardStack<true, std::memory_order_acq_rel>>(test);
  test.expect("use-after-free");
  test.program().before(push(1)).thread(pop()).thread(pop());
}
