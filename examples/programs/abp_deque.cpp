// SPDX-License-Identifier: Apache-2.0
#include "abp_deque.h"

#include "calls.h"

namespace {

// The smallest test of a missing tag.
template <typename Deque>
void reset_under_thieves(plumb::Test& test) {
  auto [push, take, steal] = stealing_calls<Deque>(test);
  test.program()
      .before(push(1))
      .thread(take(), push(2), take(), push(3))
      .thread(steal())
      .thread(steal())
      .after(take(), take());
}

}  // namespace

PLUMB_TEST(abp_deque) {
  reset_under_thieves<AbpDeque<>>(test);
}

PLUMB_TEST(abp_deque_generated) {
  auto [push, take, steal] = stealing_calls<AbpDeque<>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(take());
  test.programs(2, 3);
}

// The top is 0 again, as when the thief looked: it gives out an item that is
// long gone, and the one that is there is lost.
PLUMB_TEST(abp_deque_without_tag) {
  reset_under_thieves<AbpDeque<false>>(test);
  test.expect("violated");
}
