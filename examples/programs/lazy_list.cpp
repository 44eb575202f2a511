// SPDX-License-Identifier: Apache-2.0
#include "lazy_list.h"

#include "set_programs.h"

namespace {

using WithoutCheck = LazyList<LazyOptions{.validate = false}>;
using MarkIgnored = LazyList<LazyOptions{.contains_looks_at_mark = false}>;
using UnlinkFirst = LazyList<LazyOptions{.mark_first = false}>;

// What a `contains` that finds nothing needs: its key is removed and added
// again while it stands on the removed node.
template <typename Set>
void look_while_it_changes(plumb::Test& test) {
  auto [add, remove, contains] = set_calls<Set>(test);
  test.program()
      .before(add(1))
      .thread(contains(1))
      .thread(remove(1), add(1))
      .thread(remove(1));
}

}  // namespace

PLUMB_TEST(lazy_list_neighbours) {
  change_neighbours<LazyList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(lazy_list_twice) {
  remove_twice<LazyList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(lazy_list_look) {
  look_while_it_changes<LazyList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(lazy_list_generated) {
  any_calls<LazyList<>>(test);
  test.set("leaks", "allow");
}

// Without the check: a key stays, an add is lost; a key is removed twice.
PLUMB_TEST(lazy_list_without_check_neighbours) {
  change_neighbours<WithoutCheck>(test);
  test.set("leaks", "allow").expect("violated");
}
PLUMB_TEST(lazy_list_without_check_twice) {
  remove_twice<WithoutCheck>(test);
  test.set("leaks", "allow").expect("violated");
}

// Harmless mutants.
PLUMB_TEST(lazy_list_mark_ignored) {
  any_calls<MarkIgnored>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(lazy_list_mark_ignored_look) {
  look_while_it_changes<MarkIgnored>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(lazy_list_unlink_first) {
  any_calls<UnlinkFirst>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(lazy_list_unlink_first_look) {
  look_while_it_changes<UnlinkFirst>(test);
  test.set("leaks", "allow");
}
