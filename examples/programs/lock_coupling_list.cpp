// SPDX-License-Identifier: Apache-2.0
#include "lock_coupling_list.h"

#include "set_programs.h"

PLUMB_TEST(lock_coupling_list_neighbours) {
  change_neighbours<LockCouplingList<>>(test);
}
PLUMB_TEST(lock_coupling_list_twice) {
  remove_twice<LockCouplingList<>>(test);
}
PLUMB_TEST(lock_coupling_list_generated) {
  any_calls<LockCouplingList<>>(test);
}

// 1 and 2 are removed at once: 2 is unlinked from the node of 1, which is out,
// and stays in the list.
PLUMB_TEST(lock_coupling_list_one_lock) {
  change_neighbours<LockCouplingList<Collected, false>>(test);
  test.set("leaks", "allow").expect("violated");
}
