// SPDX-License-Identifier: Apache-2.0
// Monitors: what they keep, and of which parts.
#include "check/monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check/part_monitors.h"
#include "spec/catalogue.h"
#include "spec/initial.h"

namespace plumb::check {
namespace {

// A set is judged member by member; those at rest cost next to nothing.
TEST(PartMonitors, MembersThatAreGoneAreForgotten) {
  const auto object = spec::make("set");
  Budget budget;
  PartMonitors monitors(*object, true, 100, budget);
  const auto run = [&](const char* name, int member, bool result) {
    const auto handle = monitors.invoked(
        {*spec::find_operation(*object, name), Value::integer(member)});
    ASSERT_TRUE(handle.has_value());
    monitors.returned(*handle, Value::boolean(result));
  };
  for (int i = 0; i < 1000; ++i) {
    run("add", i, true);
    run("contains", i, true);
    if (i % 100 != 0) run("remove", i, true);
  }
  EXPECT_EQ(monitors.parts(), 10u);
  EXPECT_EQ(monitors.answer(), Answer::kHolds);
  run("contains", 500, true);
  run("contains", 501, false);
  EXPECT_EQ(monitors.answer(), Answer::kHolds);
  run("add", 500, true);
  EXPECT_EQ(monitors.answer(), Answer::kViolated);
}

// An operation that failed did not happen, also if others must have seen it.
TEST(Monitor, WhatFailedDidNotHappen) {
  const auto object = spec::make("register");
  const auto write = *spec::find_operation(*object, "write");
  const auto read = *spec::find_operation(*object, "read");
  Budget budget;
  Monitor monitor(*object, budget);
  const auto w = *monitor.invoked({write, Value::integer(1)});
  const auto r = *monitor.invoked({read, Value()});
  monitor.returned(r, Value::integer(1));
  EXPECT_EQ(monitor.answer(), Answer::kHolds);
  monitor.failed(w);
  EXPECT_EQ(monitor.answer(), Answer::kViolated);
}

TEST(Monitor, WhatWasGivenUpMayHaveHappenedOnceOnly) {
  const auto object = spec::make("counter");
  const auto inc = *spec::find_operation(*object, "inc");
  const auto get = *spec::find_operation(*object, "get");
  for (const int seen : {0, 1, 2}) {
    Budget budget;
    Monitor monitor(*object, budget);
    monitor.gave_up(*monitor.invoked({inc, Value()}));
    monitor.returned(*monitor.invoked({get, Value()}), Value::integer(seen));
    EXPECT_EQ(monitor.answer(), seen == 2 ? Answer::kViolated : Answer::kHolds);
  }
}

TEST(Monitor, ResultsThatNobodyKnows) {
  const auto object = spec::make("queue");
  const auto enq = *spec::find_operation(*object, "enq");
  const auto deq = *spec::find_operation(*object, "deq");
  Budget budget;
  Monitor monitor(*object, budget);
  for (const int v : {1, 2}) {
    monitor.returned(*monitor.invoked({enq, Value::integer(v)}), Value());
  }
  monitor.returned(*monitor.invoked({deq, Value()}), spec::unknown_result());
  EXPECT_EQ(monitor.answer(), Answer::kHolds);
  monitor.returned(*monitor.invoked({deq, Value()}), Value::integer(1));
  EXPECT_EQ(monitor.answer(), Answer::kViolated);
}

// However long it goes on, no more is kept than what overlaps.
TEST(Monitor, KeepsWhatOverlaps) {
  const auto object = spec::make("register");
  const auto write = *spec::find_operation(*object, "write");
  const auto read = *spec::find_operation(*object, "read");
  Budget budget;
  Monitor monitor(*object, budget);
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto a = *monitor.invoked({write, Value::integer(i)});
    const auto b = *monitor.invoked({write, Value::integer(-i)});
    const auto r = *monitor.invoked({read, Value()});
    monitor.returned(a, Value());
    monitor.returned(r, Value::integer(i));
    monitor.returned(b, Value());
    most = std::max(most, monitor.configurations());
  }
  EXPECT_EQ(monitor.answer(), Answer::kHolds);
  EXPECT_LE(most, 8u);
}

}  // namespace
}  // namespace plumb::check
