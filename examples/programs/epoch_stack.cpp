// SPDX-License-Identifier: Apache-2.0
#include "epoch_stack.h"

#include "calls.h"

PLUMB_TEST(epoch_stack) {
  auto [push, pop] = stack_calls<EpochStack<>>(test);
  test.program()
      .before(push(1), push(2), push(3))
      .thread(pop())
      .thread(pop(), pop());
  test.program().thread(push(1), pop()).thread(push(2)).after(pop());
}

// The program that shows ABA where nodes are used again (treiber_stack.cpp).
PLUMB_TEST(epoch_stack_aba) {
  auto [push, pop] = stack_calls<EpochStack<>>(test);
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

// The node is freed while the slow pop reads it.
PLUMB_TEST(epoch_stack_freed_too_early) {
  auto [push, pop] = stack_calls<EpochStack<1>>(test);
  test.expect("race");
  test.program().before(push(1)).thread(pop()).thread(pop());
}
