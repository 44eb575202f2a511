// SPDX-License-Identifier: Apache-2.0
#include "wide_stack.h"

#include "calls.h"

PLUMB_TEST(wide_stack) {
  auto [push, pop] = stack_calls<WideStack<>>(test, "stack(3)");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), push(3))
      .after(pop(), pop());
  test.program()
      .before(push(1), push(2), push(3), push(4))
      .thread(pop())
      .thread(pop())
      .after(pop(), pop());
}

// The tag stays the same: ABA, by the smallest test.
PLUMB_TEST(wide_stack_same_tag) {
  auto [push, pop] = stack_calls<WideStack<false>>(test, "stack(3)");
  test.expect("violated");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}
