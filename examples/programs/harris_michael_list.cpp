// SPDX-License-Identifier: Apache-2.0
#include "harris_michael_list.h"

#include "set_programs.h"

namespace {

using AttemptMark = HarrisMichaelList<HarrisBug::kAttemptMark>;
using NoMark = HarrisMichaelList<HarrisBug::kNoMark>;

}  // namespace

PLUMB_TEST(harris_michael_list_neighbours) {
  change_neighbours<HarrisMichaelList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(harris_michael_list_twice) {
  remove_twice<HarrisMichaelList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(harris_michael_list_generated) {
  any_calls<HarrisMichaelList<>>(test);
  test.set("leaks", "allow");
}

// The erratum, by its smallest test: both removals say that 1 was there.
PLUMB_TEST(harris_michael_list_attempt_mark) {
  auto [add, remove, contains] = set_calls<AttemptMark>(test);
  test.set("leaks", "allow").expect("violated");
  test.program().before(add(1)).thread(remove(1)).thread(remove(1)).after(
      contains(1));
}

// No marks, by its two smallest tests: 2 is removed, but still there ...
PLUMB_TEST(harris_michael_list_no_mark_remove) {
  auto [add, remove, contains] = set_calls<NoMark>(test);
  test.set("leaks", "allow").expect("violated");
  test.program()
      .before(add(1), add(2))
      .thread(remove(1))
      .thread(remove(2))
      .after(contains(2));
}
// ... 2 is added, but not there.
PLUMB_TEST(harris_michael_list_no_mark_add) {
  auto [add, remove, contains] = set_calls<NoMark>(test);
  test.set("leaks", "allow").expect("violated");
  test.program()
      .before(add(1), add(3))
      .thread(remove(1))
      .thread(add(2))
      .after(contains(2));
}
