// SPDX-License-Identifier: Apache-2.0
#include "check/forced_order.h"

#include <gtest/gtest.h>

#include "check/decide.h"
#include "spec/catalogue.h"
#include "support/generate.h"
#include "support/histories.h"

namespace plumb::check {
namespace {

using history::History;

bool contradicts_itself(std::string_view object, std::string_view picture) {
  const auto made = spec::make(object);
  return ForcedOrder(testing::draw(*made, picture), *made).contradicts_itself();
}

TEST(ForcedOrder, ValuesLeaveAQueueInTheOrderInWhichTheyCame) {
  EXPECT_TRUE(contradicts_itself("queue", R"(
    p: [enq 1] [enq 2]
    q:                   [deq -> 2] [deq -> 1]
  )"));
  EXPECT_FALSE(contradicts_itself("queue", R"(
    p: [enq 1]
    q:          [enq 2]
    r:                   [deq -> 2] [deq -> 1]
  )")) << "real time does not count";
}

TEST(ForcedOrder, WhatStaysInAQueueCameAfterAllThatLeft) {
  const char* history = R"(
    p: [enq 1] [enq 2] [deq -> 2]
  )";
  EXPECT_TRUE(contradicts_itself("queue", history));
  EXPECT_FALSE(contradicts_itself("queue", std::string(history) + R"(
    q: [deq ...
  )")) << "unless a pending take took it";
}

TEST(ForcedOrder, NothingIsInsideWhenNothingIsFound) {
  EXPECT_TRUE(
      contradicts_itself("queue", "p: [enq 1] [deq -> null] [deq -> 1]"));
}

TEST(ForcedOrder, NoWriteComesBetweenAWriteAndItsReads) {
  EXPECT_TRUE(contradicts_itself("register", R"(
    p: [write 1] [write 2]
    q:                      [read -> 2] [read -> 1]
  )"));
  EXPECT_TRUE(contradicts_itself("register", "p: [write 1] [read -> null]"));
  EXPECT_TRUE(contradicts_itself("register", R"(
    p: [write 1] [cas (1,2) -> true]
    q:                                [read -> 2] [read -> 1]
  )"));
  EXPECT_FALSE(contradicts_itself("register", R"(
    p: [write 1]
    q:            [write 2]
    r:                       [read -> 2] [read -> 1]
  )"));
}

TEST(ForcedOrder, KnowsNothingOfValuesThatRepeat) {
  EXPECT_FALSE(contradicts_itself("queue", R"(
    p: [enq 1] [enq 2] [deq -> 2] [deq -> 1] [enq 1]
  )"));
}

// Without it, the search for program order does not end within so many steps.
TEST(ForcedOrder, LetsLongHistoriesBeDecided) {
  int holds = 0, violated = 0;
  for (const std::size_t relaxed : {0u, 1u, 2u, 30u}) {
    testing::Load load;
    load.operations = 1'000;
    load.relaxed = relaxed;
    load.violate = relaxed == 0;
    const History history = testing::generate(load);
    Budget budget = Budget().with_steps(50'000);
    const Verdict verdict = decide(history, *spec::make("queue"),
                                   parse_condition("sequential"), {}, budget);
    EXPECT_NE(verdict.answer, Answer::kUnknown) << relaxed;
    (verdict.answer == Answer::kHolds ? holds : violated) += 1;
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(violated, 0);
}

}  // namespace
}  // namespace plumb::check
