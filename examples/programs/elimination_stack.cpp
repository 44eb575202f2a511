// SPDX-License-Identifier: Apache-2.0
#include "elimination_stack.h"

#include "calls.h"

namespace {

// The smallest test of ABA at the place where they meet.
template <typename Stack>
void meeting_again(plumb::Test& test) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.set("leaks", "allow");
  test.program()
      .thread(pop())
      .thread(push(1), pop(), push(2))
      .after(pop(), pop());
}

}  // namespace

PLUMB_TEST(elimination_stack) {
  auto [push, pop] = stack_calls<EliminationStack<>>(test);
  test.set("leaks", "allow");
  test.program().thread(push(1), push(2)).thread(pop(), pop()).after(pop());
}
PLUMB_TEST(elimination_stack_generated) {
  auto [push, pop] = stack_calls<EliminationStack<>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(pop());
  test.set("leaks", "allow").programs(2, 2);
}
PLUMB_TEST(elimination_stack_reuse) {
  meeting_again<EliminationStack<Pooled>>(test);
}
PLUMB_TEST(elimination_stack_reuse_aba) {
  auto [push, pop] = stack_calls<EliminationStack<Pooled>>(test);
  test.set("leaks", "allow");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

// T1 reads 1 at the place; T2 takes it back, pushes and pops it, and offers 2
// in the same node: T1 has 1 as well.
PLUMB_TEST(elimination_stack_reuse_read_early) {
  auto [push, pop] = stack_calls<EliminationStack<Pooled, true>>(test);
  test.set("leaks", "allow").expect("violated");
  test.program().thread(pop()).thread(push(1), pop(), push(2));
}
// Harmless with a garbage collector.
PLUMB_TEST(elimination_stack_read_early) {
  meeting_again<EliminationStack<Collected, true>>(test);
}
