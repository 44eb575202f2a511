// SPDX-License-Identifier: Apache-2.0
#include "optimistic_list.h"

#include "set_programs.h"

PLUMB_TEST(optimistic_list_neighbours) {
  change_neighbours<OptimisticList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(optimistic_list_twice) {
  remove_twice<OptimisticList<>>(test);
  test.set("leaks", "allow");
}
PLUMB_TEST(optimistic_list_generated) {
  any_calls<OptimisticList<>>(test);
  test.set("leaks", "allow");
}

// Two removals of neighbours: one key stays.
PLUMB_TEST(optimistic_list_without_check_neighbours) {
  change_neighbours<OptimisticList<false>>(test);
  test.set("leaks", "allow").expect("violated");
}
// Two removals of one key: both say that it was there.
PLUMB_TEST(optimistic_list_without_check_twice) {
  remove_twice<OptimisticList<false>>(test);
  test.set("leaks", "allow").expect("violated");
}
