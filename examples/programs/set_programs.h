// SPDX-License-Identifier: Apache-2.0
// The programs with which the list-based sets are tested.
#pragma once

#include "calls.h"

// Neighbours are removed at once; one is removed and another put behind it.
template <typename Set>
void change_neighbours(plumb::Test& test) {
  auto [add, remove, contains] = set_calls<Set>(test);
  test.program()
      .before(add(1), add(2))
      .thread(remove(1))
      .thread(remove(2))
      .after(contains(1), contains(2), add(1), add(2));
  test.program()
      .before(add(1), add(3))
      .thread(remove(1))
      .thread(add(2))
      .after(contains(1), contains(2), contains(3));
}

// The same key is removed twice at once.
template <typename Set>
void remove_twice(plumb::Test& test) {
  auto [add, remove, contains] = set_calls<Set>(test);
  test.program().before(add(1)).thread(remove(1)).thread(remove(1),
                                                         contains(1));
}

// All programs with two keys.
template <typename Set>
void any_calls(plumb::Test& test) {
  auto [add, remove, contains] = set_calls<Set>(test);
  add.values(1, 2);
  remove.values(1, 2);
  contains.values(1, 2);
  test.programs(2, 2);
}
