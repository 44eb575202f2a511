// SPDX-License-Identifier: Apache-2.0
// What implies a condition is tried before the condition itself.
#include "check/decide.h"

#include <gtest/gtest.h>

#include "check/condition.h"
#include "spec/catalogue.h"
#include "support/generate.h"
#include "support/histories.h"

namespace plumb::check {
namespace {

using history::History;

Verdict decide_with(const History& history, const char* condition,
                    Budget budget) {
  return decide(history, *spec::make("queue"), parse_condition(condition),
                {.want_order = true}, budget);
}

class LinearizableHistory : public ::testing::TestWithParam<const char*> {};

// The searches for these conditions would not end within so many steps.
TEST_P(LinearizableHistory, SatisfiesEveryOtherConditionAtOnce) {
  testing::Load load;
  load.operations = 400;
  load.seed = 7;
  const History history = testing::generate(load);
  const Verdict verdict =
      decide_with(history, GetParam(), Budget().with_steps(100'000));
  EXPECT_EQ(verdict.answer, Answer::kHolds) << verdict.reason;
  EXPECT_EQ(verdict.order.size(), history.size());
}

INSTANTIATE_TEST_SUITE_P(
    Decide, LinearizableHistory,
    ::testing::Values("quasi(deq=2)", "quasi(enq=1, deq=2)",
                      "stuttering(deq=2)", "late(deq=2)", "out_of_order(deq=2)",
                      "late(deq=1)+stuttering(deq=1)",
                      "quasi(deq=1)+stuttering(deq=1)", "quiescent",
                      "quiescent+quasi(deq=2)", "quiescent+late(deq=2)",
                      "sequential", "sequential+quasi(deq=2)",
                      "sequential+stuttering(deq=1)",
                      "quiescent+sequential+out_of_order(deq=2)"));

// What follows the last quiescent moment is not judged, so it is not in the
// order either.
TEST(Decide, AnImpliedQuiescentOrderEndsAtTheLastQuiescentMoment) {
  const auto queue = spec::make("queue");
  const History history = testing::draw(*queue, R"(
    p: [enq 1] [deq -> 1] [enq 2  ...
    q:   [enq 3]             [deq -> 3]
  )");
  const Verdict verdict = decide_with(history, "quiescent", Budget());
  EXPECT_EQ(verdict.answer, Answer::kHolds);
  EXPECT_EQ(verdict.order.size(), 3u);
}

TEST(Decide, ATryThatReachesItsLimitImpliesNothing) {
  const auto queue = spec::make("queue");
  const History history = testing::draw(*queue, R"(
    p: [enq 1] [enq 2] [deq -> 2] [deq -> null]
  )");
  for (const char* condition : {"quasi(deq=1)", "quiescent", "sequential"}) {
    const Verdict verdict =
        decide_with(history, condition, Budget().with_steps(0));
    EXPECT_NE(verdict.answer, Answer::kHolds) << condition;
  }
}

}  // namespace
}  // namespace plumb::check
