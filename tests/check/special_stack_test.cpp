// SPDX-License-Identifier: Apache-2.0
#include "check/special_collection_test_support.h"

namespace plumb::check {
namespace {

using special_test::Comparison;
using special_test::Indices;
using special_test::Random;

std::optional<Verdict> decide(std::string_view picture) {
  Budget budget;
  return decide_stack(testing::draw(*spec::make("stack"), picture), {}, budget);
}

TEST(SpecialStack, KnowsTheCodesOfItsOperations) {
  const auto stack = spec::make("stack");
  EXPECT_EQ(spec::find_operation(*stack, "push"), special_test::kPut);
  EXPECT_EQ(spec::find_operation(*stack, "pop"), special_test::kTake);
}

TEST(SpecialStack, AValueThatStaysIsInsideForATakeThatFoundNothing) {
  const auto verdict = decide("p: [push 1] [pop -> null]");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, (Indices{0, 1}));
}

TEST(SpecialStack, NamesTheOperationsOfTwoValuesThatCross) {
  const auto verdict = decide(R"(
    p: [push 9] [push 1] [push 2] [pop -> 1] [pop -> 2] [pop -> 9]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{1, 2, 3, 4}));
}

TEST(SpecialStack, AValueThatStaysMustLieBelowTheOthers) {
  const auto below = decide("p: [push 1] [push 2] [pop -> 2]");
  ASSERT_TRUE(below);
  EXPECT_EQ(below->answer, Answer::kHolds);
  const auto above = decide("p: [push 1] [push 2] [pop -> 1]");
  ASSERT_TRUE(above);
  EXPECT_EQ(above->core, (Indices{0, 1, 2}));
}

// No two of the three values are in conflict, but all three are.
TEST(SpecialStack, SeesAConflictOfThreeValuesWithoutOneOfTwo) {
  Comparison comparison("stack");
  Random random(8);
  const auto history = testing::draw(comparison.object(), R"(
    p: [push 1]    [push 2]             [pop -> 1         ]
    q:                  [push 3      ]  [pop -> 2  ]
    r:                                       [pop -> 3]
  )");
  comparison.judge(history, random);
  EXPECT_EQ(comparison.decided(), 1);
}

TEST(SpecialStack, ManyConflictsGiveOneSmallCore) {
  std::string picture = "p:";
  for (int i = 0; i < 40; ++i) {
    picture += " [push " + std::to_string(i) + "]";
  }
  for (int i = 0; i < 40; ++i) {
    picture += " [pop -> " + std::to_string(i) + "]";
  }
  const auto verdict = decide(picture);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core.size(), 4u) << "two values";
}

// For the pop that found nothing four values must be gone, and which of the
// pending pops took which is not obvious.
TEST(SpecialStack, TriesAllValuesThatPendingTakesMayHaveTaken) {
  Comparison comparison("stack");
  Random random(10);
  const auto history = testing::draw(comparison.object(), R"(
    p0:          [push 1]     [push 16] [push 8]
    p1:           [pop ... [pop -> null]  [pop ...
    p2: [push 6]             [pop ...
    p3:         [push 14    ]  [pop ...  [pop ...
  )");
  comparison.judge(history, random);
  EXPECT_EQ(comparison.decided(), 1);
}

TEST(SpecialStack, ATakeThatFindsNothingIsNotPutOffLikeABlock) {
  const auto verdict = decide(R"(
    p: [push 1    ]
    q:    [pop -> null]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
  const auto repeated = decide(R"(
    p: [push 1    ]     [pop -> 1] [push 1]
    q:    [pop -> null]
  )");
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->answer, Answer::kHolds);
}

TEST(SpecialStack, RepeatedValuesAreBlamedUpToTheFirstTakeThatCannotBe) {
  const auto verdict = decide(R"(
    p: [push 1] [push 2] [push 1] [pop -> 2]  [push 2]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{0, 1, 2, 3}));
}

TEST(SpecialStack, AgreesWithTheDefinitionOnAllSmallHistories) {
  Comparison comparison("stack");
  special_test::compare_exhaustively(comparison);
  EXPECT_EQ(comparison.decided(), comparison.total());
}

TEST(SpecialStack, AgreesWithTheDefinitionOnRandomHistories) {
  for (const char* name : {"stack", "blocking_stack"}) {
    SCOPED_TRACE(name);
    Random random(32);
    Comparison comparison(name);
    const auto integers = [](std::int64_t n) { return Value::integer(n); };
    compare_at_random(comparison, 3, 30'000,
                      special_test::container_calls(random, integers),
                      special_test::change_takes);
    EXPECT_EQ(comparison.decided(), comparison.total());
    EXPECT_GT(comparison.violated(), comparison.total() / 20);
  }
}

// Longer ones: conflicts of three and more values need room.
TEST(SpecialStack, AgreesWithTheDefinitionOnLongerRandomHistories) {
  Random random(33);
  Comparison comparison("stack");
  const auto integers = [](std::int64_t n) { return Value::integer(n); };
  const auto calls = special_test::container_calls(random, integers);
  for (int round = 0; round < 4'000; ++round) {
    special_test::Look look;
    look.operations = 12;
    look.processes = 4;
    look.percent_pending = 20;
    auto history = special_test::Simulation(comparison.object(), look, random)
                       .run(calls());
    special_test::change_takes(history, random);
    comparison.judge(history, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(comparison.violated(), 200);
}

TEST(SpecialStack, AgreesWithTheDefinitionOnAllSmallHistoriesWithRepeats) {
  Comparison comparison("stack");
  special_test::compare_repeats_exhaustively(comparison);
  EXPECT_EQ(comparison.decided(), comparison.total());
}

TEST(SpecialStack, AgreesWithTheDefinitionOnRandomHistoriesWithRepeats) {
  for (const char* name : {"stack", "blocking_stack"}) {
    Comparison comparison(name);
    special_test::compare_repeats_at_random(comparison, 4, 15'000);
  }
}

TEST(SpecialStack, AgreesWithTheDefinitionWhenManyTakesNeverReturn) {
  special_test::compare_with_lost_takes("stack", 62, 15'000);
}

}  // namespace
}  // namespace plumb::check
