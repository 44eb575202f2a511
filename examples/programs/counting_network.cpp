// SPDX-License-Identifier: Apache-2.0
#include "counting_network.h"

#include <plumb/test.h>

namespace {

// The smallest test: one call against two.
template <typename Network>
void one_against_two(plumb::Test& test) {
  auto network = test.object<Network>();
  auto inc = network.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc(), inc()).after(inc(), inc());
}

// With four wires the gap is met again by the fifth that comes.
void one_against_four(plumb::Test& test) {
  auto network = test.object<CountingNetwork<4>>();
  auto inc = network.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc(), inc(), inc(), inc());
}

}  // namespace

// T1 has passed the balancer and sleeps; T2 gets 1, and then 0.
PLUMB_TEST(counting_network_2_linearizable) {
  one_against_two<CountingNetwork<2>>(test);
  test.expect("violated");
}
PLUMB_TEST(counting_network_2_sequential) {
  one_against_two<CountingNetwork<2>>(test);
  test.condition("sequential").expect("violated");
}
PLUMB_TEST(counting_network_2) {
  one_against_two<CountingNetwork<2>>(test);
  test.condition("quiescent");
}

PLUMB_TEST(counting_network_4_linearizable) {
  one_against_four(test);
  test.expect("violated");
}
PLUMB_TEST(counting_network_4_sequential) {
  one_against_four(test);
  test.condition("sequential").expect("violated");
}
PLUMB_TEST(counting_network_4) {
  one_against_four(test);
  test.condition("quiescent");
}
PLUMB_TEST(counting_network_4_generated) {
  auto network = test.object<CountingNetwork<4>>();
  network.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter").condition("quiescent").programs(3, 2);
}

// Two go the same way: the first two numbers are 0 and 2.
PLUMB_TEST(counting_network_toggle_in_two_steps) {
  one_against_two<CountingNetwork<2, false>>(test);
  test.condition("quiescent").expect("violated");
}
