// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"

#include <plumb/test.h>

#include <tuple>

namespace {

template <Collect kCollect, SnapshotOrders kOrders = SnapshotOrders{}>
auto calls(plumb::Test& test) {
  auto snapshot = test.object<Snapshot<kCollect, kOrders>, TwoRegisters>();
  return std::tuple(
      snapshot.operation("update_first", PLUMB_METHOD(update_first)),
      snapshot.operation("update_second", PLUMB_METHOD(update_second)),
      snapshot.operation("scan", PLUMB_METHOD(scan)));
}

// The smallest test of a single collect.
template <Collect kCollect>
void one_update_each(plumb::Test& test) {
  auto [first, second, scan] = calls<kCollect>(test);
  test.program().thread(first(1)).thread(second(2)).thread(scan());
}

// The smallest test of one that compares values.
template <Collect kCollect>
void values_come_back(plumb::Test& test) {
  auto [first, second, scan] = calls<kCollect>(test);
  test.program()
      .thread(first(1), first(0), first(1))
      .thread(second(2), second(0), second(2))
      .thread(scan());
}

}  // namespace

PLUMB_TEST(snapshot) {
  one_update_each<Collect::kNumbers>(test);
}
PLUMB_TEST(snapshot_values_come_back) {
  values_come_back<Collect::kNumbers>(test);
}
PLUMB_TEST(snapshot_generated) {
  auto [first, second, scan] = calls<Collect::kNumbers>(test);
  first.values(1, 2).only_by(0);
  second.values(1, 2).only_by(1);
  test.programs(2, 2);
}

// Each misses what the other one wrote: on x86, too.
PLUMB_TEST(snapshot_release_acquire) {
  constexpr SnapshotOrders kWeak = {std::memory_order_release,
                                    std::memory_order_acquire};
  auto [first, second, scan] = calls<Collect::kNumbers, kWeak>(test);
  test.expect("violated");
  test.program().thread(first(1), scan()).thread(second(1), scan());
}

// (0, 2) though first was 1 before second was 2.
PLUMB_TEST(snapshot_single_collect) {
  auto [first, second, scan] = calls<Collect::kOnce>(test);
  test.expect("violated");
  test.program().thread(first(1), second(2)).thread(scan());
}
PLUMB_TEST(snapshot_single_collect_two_writers) {
  one_update_each<Collect::kOnce>(test);
  test.expect("violated");
}
PLUMB_TEST(snapshot_single_collect_sequential) {
  one_update_each<Collect::kOnce>(test);
  test.condition("sequential");
}
PLUMB_TEST(snapshot_single_collect_quiescent) {
  one_update_each<Collect::kOnce>(test);
  test.condition("quiescent");
}

// Exactly one order of the six updates and the four reads shows it.
PLUMB_TEST(snapshot_comparing_values) {
  values_come_back<Collect::kValues>(test);
  test.expect("violated");
}
PLUMB_TEST(snapshot_comparing_values_small) {
  one_update_each<Collect::kValues>(test);
}
