// SPDX-License-Identifier: Apache-2.0
// Plumbline inside of GoogleTest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/gtest.h>

#include "counters.h"

namespace {

int runs_of_this_test = 0;

TEST(Framework, ATestCanHold) {
  ++runs_of_this_test;
  plumb::Test test("counter");
  declare<Counter>(test);
  EXPECT_TRUE(test.holds()) << test.report();
}

TEST(Framework, ATestCanBeViolatedAndTellsWhy) {
  plumb::Test test("naive");
  declare<NaiveCounter>(test);
  EXPECT_FALSE(test.holds());
  EXPECT_THAT(test.report(), ::testing::HasSubstr("inc() -> 0"));
}

TEST(Framework, WhatTheProgramDidBeforeIsStillSoAfterwards) {
  EXPECT_EQ(runs_of_this_test, 1);
}

TEST(Framework, AMatcherJudgesEveryRun) {
  plumb::Test test("counter");
  declare<Counter>(test);
  EXPECT_LINEARIZABLE(test, "counter");
  plumb::Test naive("naive");
  declare<NaiveCounter>(naive);
  EXPECT_FALSE(plumb::judge(naive, "counter").consistent);
}

TEST(Framework, AMistakeIsReported) {
  plumb::Test test("mistaken");
  declare<Counter>(test);
  test.set("heap", "large");
  EXPECT_FALSE(test.holds());
  EXPECT_THAT(test.report(), ::testing::HasSubstr("no value of 'heap'"));
}

}  // namespace
