// SPDX-License-Identifier: Apache-2.0
#include "k_stack.h"

#include "calls.h"

namespace {

// The smallest test of both bugs: a full segment, an empty one on top of it.
template <typename Stack>
void smallest(plumb::Test& test) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.condition("out_of_order(pop=1)").set("leaks", "allow");
  test.program()
      .before(push(1), push(2), push(3), pop())
      .thread(push(4))
      .thread(pop())
      .after(pop(), pop(), pop(), pop());
}

}  // namespace

PLUMB_TEST(k_stack) {
  smallest<KStack<2>>(test);
}

// Two pops want the segment to go while a push fills it.
PLUMB_TEST(k_stack_of_one_three) {
  auto [push, pop] = stack_calls<KStack<1>>(test);
  test.set("leaks", "allow");
  test.program()
      .before(push(1), push(2), pop())
      .thread(pop())
      .thread(pop())
      .thread(push(3))
      .after(pop());
}

// 4 is popped, and found again by the drain.
PLUMB_TEST(k_stack_double_read) {
  smallest<KStack<2, KStackBug::kDoubleRead>>(test);
  test.expect("violated");
}

// 4 is lost.
PLUMB_TEST(k_stack_without_commit) {
  smallest<KStack<2, KStackBug::kNoCommit>>(test);
  test.expect("violated");
}

// 4 is lost, but not on x86.
PLUMB_TEST(k_stack_without_fences) {
  smallest<KStack<2, KStackBug::kNoFence>>(test);
  test.expect("violated");
}

PLUMB_TEST(k_stack_linearizable) {
  auto [push, pop] = stack_calls<KStack<2>>(test);
  test.set("leaks", "allow").expect("violated");
  test.program().before(push(1), push(2)).thread(pop()).thread(push(3));
}

PLUMB_TEST(k_stack_generated) {
  auto [push, pop] = stack_calls<KStack<2>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(pop());
  test.condition("out_of_order(pop=1)").set("leaks", "allow").programs(2, 2);
}

// Segments of one slot: a plain stack.
PLUMB_TEST(k_stack_of_one) {
  auto [push, pop] = stack_calls<KStack<1>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(pop());
  test.set("leaks", "allow").programs(2, 2);
}

// The programs of Round-Up's Table V: two calls at once and twelve others
// before and after them; the code that it found wrong, and the repaired one.
namespace {

template <typename Stack>
void push_pop(plumb::Test& test) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.condition("out_of_order(pop=1)").set("leaks", "allow");
  test.program()
      .before(push(1), push(2), push(3), push(4), push(5), pop())
      .thread(push(6))
      .thread(pop())
      .after(pop(), pop(), pop(), pop(), pop(), pop());
}

template <typename Stack>
void push_push(plumb::Test& test) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.condition("out_of_order(pop=1)").set("leaks", "allow");
  test.program()
      .before(push(1), push(2), push(3), push(4), push(5))
      .thread(push(6))
      .thread(push(7))
      .after(pop(), pop(), pop(), pop(), pop(), pop(), pop());
}

template <typename Stack>
void pop_pop(plumb::Test& test) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.condition("out_of_order(pop=1)").set("leaks", "allow");
  test.program()
      .before(push(1), push(2), push(3), push(4), push(5), push(6), push(7))
      .thread(pop())
      .thread(pop())
      .after(pop(), pop(), pop(), pop(), pop());
}

using Scal = KStack<2, KStackBug::kDoubleRead>;

}  // namespace

PLUMB_TEST(k_stack_push_pop_scal) {
  push_pop<Scal>(test);
  test.expect("violated");
}
PLUMB_TEST(k_stack_push_push_scal) {
  push_push<Scal>(test);
}
PLUMB_TEST(k_stack_pop_pop_scal) {
  pop_pop<Scal>(test);
}
PLUMB_TEST(k_stack_push_pop) {
  push_pop<KStack<2>>(test);
}
PLUMB_TEST(k_stack_push_push) {
  push_push<KStack<2>>(test);
}
PLUMB_TEST(k_stack_pop_pop) {
  pop_pop<KStack<2>>(test);
}
