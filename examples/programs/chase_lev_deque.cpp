// SPDX-License-Identifier: Apache-2.0
#include "chase_lev_deque.h"

#include "calls.h"

namespace {

using TakeWithoutSwap = ChaseLevDeque<2, ChaseLevOptions{.take_swaps = false}>;
using FullTooSoon = ChaseLevDeque<2, ChaseLevOptions{.fence_when_full = false}>;
using LateRead = ChaseLevDeque<2, ChaseLevOptions{.read_first = false}>;

// The smallest test of both bugs: a ring of two, one owner and two thieves.
template <typename Deque>
void owner_and_two_thieves(plumb::Test& test) {
  auto [push, take, steal] = stealing_calls<Deque>(test, "deque(2)");
  test.program()
      .before(push(1), push(2))
      .thread(take(), push(3))
      .thread(steal())
      .thread(steal())
      .after(take(), take());
}

}  // namespace

PLUMB_TEST(chase_lev_deque) {
  owner_and_two_thieves<ChaseLevDeque<2>>(test);
}

PLUMB_TEST(chase_lev_deque_generated) {
  auto [push, take, steal] = stealing_calls<ChaseLevDeque<2>>(test, "deque(2)");
  push.values(1, 2, 3, 4).distinct();
  test.drain(take());
  test.programs(2, 3);
}

// Owner and thief have the same item.
PLUMB_TEST(chase_lev_deque_take_without_swap) {
  owner_and_two_thieves<TakeWithoutSwap>(test);
  test.expect("violated");
}

// The thief has what the owner put into the slot afterwards.
PLUMB_TEST(chase_lev_deque_late_read) {
  owner_and_two_thieves<LateRead>(test);
  test.expect("violated");
}

// Full for the owner, empty for the thief: on x86, too.
PLUMB_TEST(chase_lev_deque_full_without_fence) {
  auto [push, take, steal] = stealing_calls<FullTooSoon>(test, "deque(2)");
  test.expect("violated")
      .program()
      .thread(push(1), push(2), push(3))
      .thread(steal(), steal())
      .after(take());
}
