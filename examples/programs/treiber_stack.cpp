// SPDX-License-Identifier: Apache-2.0
#include "treiber_stack.h"

#include "calls.h"

// Linearizable with a garbage collector.
PLUMB_TEST(treiber_stack) {
  auto [push, pop] = stack_calls<TreiberStack<>>(test);
  test.set("leaks", "allow");
  test.program().thread(push(1), pop()).thread(push(2), pop());
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3));
}

PLUMB_TEST(treiber_stack_generated) {
  auto [push, pop] = stack_calls<TreiberStack<>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(pop());
  test.set("leaks", "allow").programs(2, 2);
}

// ... and with cells used again, if the top has a tag.
PLUMB_TEST(treiber_stack_reuse_with_tag) {
  auto [push, pop] =
      stack_calls<TreiberStack<Pooled, TreiberOptions{.tag = true}>>(test);
  test.set("leaks", "allow");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

// ABA, the smallest test: the slow pop gives out 3 and leaves on top the cell
// of 1, which was popped already: the drain finds 1 a second time.
PLUMB_TEST(treiber_stack_reuse) {
  auto [push, pop] = stack_calls<TreiberStack<Pooled>>(test);
  test.set("leaks", "allow").expect("violated");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

// The same with new and delete, from a heap that hands out first what was freed
// first: the same bug, as long as nobody minds that a node is read and deleted
// at the same time ...
PLUMB_TEST(treiber_stack_delete_fifo) {
  auto [push, pop] = stack_calls<TreiberStack<Deleted>>(test);
  test.set("heap", "fifo").set("races", "allow").expect("violated");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}
// ... which is undefined behaviour ...
PLUMB_TEST(treiber_stack_delete) {
  auto [push, pop] = stack_calls<TreiberStack<Deleted>>(test);
  test.expect("race");
  test.program().before(push(1)).thread(pop()).thread(pop());
}
// ... and may come about as a read of what is deleted.
PLUMB_TEST(treiber_stack_delete_quarantine) {
  auto [push, pop] = stack_calls<TreiberStack<Deleted>>(test);
  test.set("heap", "quarantine").set("races", "allow");
  test.expect("use-after-free");
  test.program().before(push(1)).thread(pop()).thread(pop());
}

// A pop that writes the top: two pops have the same item.
PLUMB_TEST(treiber_stack_without_swap) {
  auto [push, pop] =
      stack_calls<TreiberStack<Collected, TreiberOptions{.swap = false}>>(test);
  test.set("leaks", "allow").expect("violated");
  test.program().before(push(1), push(2)).thread(pop()).thread(pop());
}

// The three programs of Round-Up's Table V: two calls at once and twelve
// others before and after them.
PLUMB_TEST(treiber_stack_push_pop) {
  auto [push, pop] = stack_calls<TreiberStack<>>(test);
  test.set("leaks", "allow")
      .program()
      .before(push(1), push(2), push(3), push(4), push(5), push(6))
      .thread(push(7))
      .thread(pop())
      .after(pop(), pop(), pop(), pop(), pop(), pop());
}
PLUMB_TEST(treiber_stack_push_push) {
  auto [push, pop] = stack_calls<TreiberStack<>>(test);
  test.set("leaks", "allow")
      .program()
      .before(push(1), push(2), push(3), push(4), push(5))
      .thread(push(6))
      .thread(push(7))
      .after(pop(), pop(), pop(), pop(), pop(), pop(), pop());
}
PLUMB_TEST(treiber_stack_pop_pop) {
  auto [push, pop] = stack_calls<TreiberStack<>>(test);
  test.set("leaks", "allow")
      .program()
      .before(push(1), push(2), push(3), push(4), push(5), push(6), push(7))
      .thread(pop())
      .thread(pop())
      .after(pop(), pop(), pop(), pop(), pop());
}
