// SPDX-License-Identifier: Apache-2.0
// Sequential consistency of systems with bounded operations.
#include <gtest/gtest.h>

#include "lts/path.h"
#include "verify/counterexample.h"
#include "verify/order_test_support.h"

namespace plumb::verify {
namespace {

using check::Answer;
using check::Order;
using testing::deq;
using testing::deqs;
using testing::enq;
using testing::enqs;
using testing::Runs;

TEST(Sequential, RealTimeDoesNotMatter) {
  Runs runs;
  runs.add({enq(0, 1), enqs(0), enq(1, 2), enqs(1), deq(0), deqs(0, 2)});
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kHolds);
}

TEST(Sequential, EachProcessKeepsItsOrder) {
  Runs runs;
  runs.add({enq(0, 1), enqs(0), enq(0, 2), enqs(0), deq(1), deqs(1, 2)});
  const Outcome outcome = runs.check(Order::kProgram);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.statistics.method, "program orders");
  EXPECT_EQ(outcome.path->size(), 6u);
  Budget budget;
  EXPECT_EQ(judge(*outcome.history, runs.object(), budget, Order::kProgram),
            Answer::kViolated);
}

TEST(Sequential, WhatIsPendingMayHaveTakenEffectOrNot) {
  Runs runs;
  const std::size_t pending = runs.add({enq(0, 1), deq(1), deqs(1, 1), deq(1)});
  runs.add({testing::returns(1, testing::kDeq)}, pending);
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kHolds);
  runs.add({deqs(1, 1)}, pending);
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kViolated)
      << "it is there once";
}

TEST(Sequential, WhatBlocksNeedNotTakeEffect) {
  Runs runs(2, "blocking_queue");
  runs.add({deq(0), enq(1, 1), enqs(1), deq(1), deqs(1, 1)});
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kHolds)
      << "nothing is left for 0";
}

// The second of these explains the first, but the first comes alone.
TEST(Sequential, EveryReturnIsJudged) {
  Runs runs;
  runs.add({deq(1), deqs(1, 1), enq(0, 1), enqs(0)});
  const Outcome outcome = runs.check(Order::kProgram);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.path->size(), 2u);
}

TEST(Sequential, ThePastIsNeverForgotten) {
  Runs runs;
  const std::size_t quiet = runs.add({enq(0, 1), enqs(0)});
  const std::size_t empty = runs.add({deq(1), testing::returns(1, 1)}, quiet);
  runs.add({deq(1), deqs(1, 1)}, empty);
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kHolds)
      << "1 found nothing before 0 put something in";
  EXPECT_EQ(runs.check(Order::kQuiescentAndProgram).answer, Answer::kViolated);
}

TEST(Sequential, KnowsNoBusyPeriods) {
  Runs runs;
  runs.add({enq(0, 1), deq(1), deqs(1, 2)});
  Options options;
  options.busy.most = 1;
  const Outcome outcome = runs.check(Order::kProgram, options);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_TRUE(outcome.bounds_met.empty());
}

}  // namespace
}  // namespace plumb::verify
