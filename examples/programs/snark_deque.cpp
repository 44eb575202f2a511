// SPDX-License-Identifier: Apache-2.0
#include "snark_deque.h"

#include <plumb/test.h>

#include <tuple>

namespace {

template <typename Deque>
auto calls(plumb::Test& test) {
  auto deque = test.object<Deque>();
  test.spec("deque").set("leaks", "allow");
  return std::tuple(deque.operation("push_front", PLUMB_METHOD(push_front)),
                    deque.operation("push_back", PLUMB_METHOD(push_back)),
                    deque.operation("pop_front", PLUMB_METHOD(pop_front)),
                    deque.operation("pop_back", PLUMB_METHOD(pop_back)));
}

// The smallest test of the first fault.
template <typename Deque>
void never_empty(plumb::Test& test) {
  auto [push_front, push_back, pop_front, pop_back] = calls<Deque>(test);
  test.program()
      .before(push_front(1))
      .thread(pop_back())
      .thread(push_back(2), pop_front())
      .after(pop_back(), pop_back());
}

using Published = SnarkDeque<>;
using LookingAgain = SnarkDeque<SnarkOptions{.look_again = true}>;
using Claiming = SnarkDeque<SnarkOptions{.look_again = true, .claim = true}>;

}  // namespace

// T1 sees the node of 1; T2 puts 2 behind it and pops 1: "empty" to T1.
PLUMB_TEST(snark_deque) {
  never_empty<Published>(test);
  test.expect("violated");
}
PLUMB_TEST(snark_deque_looking_again) {
  never_empty<LookingAgain>(test);
}
PLUMB_TEST(snark_deque_claiming) {
  never_empty<Claiming>(test);
}

// The second fault: T1 sees both hats; T2 pops 1; T3 pushes 3 and begins to
// pop; T2 pops 2; T3 pops 3 and brings the right hat back to the node of 2,
// where T1 saw it: T1 pops 2 once more.  Three switches that nobody asked for
// are enough.
PLUMB_TEST(snark_deque_double_pop) {
  auto [push_front, push_back, pop_front, pop_back] = calls<LookingAgain>(test);
  test.set("search", "preemptions").set("preemptions", "3");
  test.expect("violated");
  test.program()
      .before(push_front(1), push_back(2))
      .thread(pop_back())
      .thread(pop_front(), pop_front())
      .thread(push_back(3), pop_back());
}

// The repaired one with all programs of two calls, and with larger ones.
PLUMB_TEST(snark_deque_claiming_generated) {
  auto [push_front, push_back, pop_front, pop_back] = calls<Claiming>(test);
  push_front.values(1);
  push_back.values(2);
  test.programs(2, 1);
  test.program()
      .before(push_front(1), push_back(2))
      .thread(pop_back())
      .thread(pop_front())
      .after(pop_back());
  test.program()
      .before(push_front(1), push_back(2))
      .thread(pop_back())
      .thread(pop_back())
      .after(pop_back());
}
