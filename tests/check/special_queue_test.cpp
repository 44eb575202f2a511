// SPDX-License-Identifier: Apache-2.0
#include "check/special_collection_test_support.h"

namespace plumb::check {
namespace {

using special_test::Comparison;
using special_test::History;
using special_test::Indices;
using special_test::Random;

std::optional<Verdict> decide(std::string_view picture,
                              std::string_view name = "queue") {
  const auto queue = spec::make(name);
  Budget budget;
  return decide_queue(testing::draw(*queue, picture),
                      {.blocking = name == "blocking_queue"}, budget);
}

TEST(SpecialQueue, KnowsTheCodesOfItsOperations) {
  const auto queue = spec::make("queue");
  EXPECT_EQ(spec::find_operation(*queue, "enq"), special_test::kPut);
  EXPECT_EQ(spec::find_operation(*queue, "deq"), special_test::kTake);
}

TEST(SpecialQueue, AValueThatStaysIsInsideForATakeThatFoundNothing) {
  const auto verdict = decide(R"(
    p: [enq 1] [deq -> null]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{0, 1}));
}

TEST(SpecialQueue, AcceptsAHistoryThatOnlyPuts) {
  const auto verdict = decide(R"(
    p: [enq 1] [enq 2] [enq 3]
    q:   [enq 4]   [enq 5]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
}

TEST(SpecialQueue, NamesTheFourOperationsOfAnOvertaking) {
  const auto verdict = decide(R"(
    p: [enq 9] [enq 1] [enq 2] [deq -> 9] [deq -> 2] [deq -> 1]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{1, 2, 4, 5}));
}

TEST(SpecialQueue, NamesTheTakeOfAValueThatWasNeverPut) {
  const auto verdict = decide(R"(
    p: [enq 1] [deq -> 2] [deq -> 1]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, Indices{1});
}

TEST(SpecialQueue, NamesTheOperationsOfAValueTakenTwice) {
  const auto verdict = decide(R"(
    p: [enq 1] [deq -> 1] [deq -> 1] [enq 2]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, (Indices{0, 1, 2}));
}

TEST(SpecialQueue, APendingTakeMayHaveTakenWhatWasOvertaken) {
  const auto early = decide(R"(
    p: [enq 1] [enq 2]  [deq -> 2]
    q:                [deq ...
  )");
  ASSERT_TRUE(early);
  EXPECT_EQ(early->answer, Answer::kHolds);
  const auto late = decide(R"(
    p: [enq 1] [enq 2]  [deq -> 2]
    q:                              [deq ...
  )");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->answer, Answer::kViolated);
  EXPECT_EQ(late->core, (Indices{0, 1, 2})) << "the pending take explains none";
}

TEST(SpecialQueue, EveryPendingTakeIsUsedOnce) {
  const auto verdict = decide(R"(
    p: [enq 1] [enq 2] [enq 3] [deq -> 3]
    q:                   [deq ...
    r:                              [deq ...
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
  const auto one = decide(R"(
    p: [enq 1] [enq 2] [enq 3] [deq -> 3]
    q:                   [deq ...
  )");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->answer, Answer::kViolated);
}

// Nine values before 10 must be gone, and so many takes are pending; the last
// `late` of them come too late.
std::optional<Verdict> decide_with_pending(int takes, int late = 0) {
  std::string picture = "p:";
  for (int i = 1; i <= 10; ++i) picture += " [enq " + std::to_string(i) + "]";
  const std::size_t column = picture.size();
  picture += "                               [deq -> 10]\n";
  for (int i = 0; i < takes; ++i) {
    std::string line = "q" + std::to_string(i) + ":";
    const int shift = i < takes - late ? 1 + i : 60 + i;
    line.resize(column + static_cast<std::size_t>(shift), ' ');
    picture += line + "[deq ...\n";
  }
  return decide(picture);
}

TEST(SpecialQueue, CountsThePendingTakesThatItNeeds) {
  const auto enough = decide_with_pending(9);
  ASSERT_TRUE(enough);
  EXPECT_EQ(enough->answer, Answer::kHolds);
  const auto too_few = decide_with_pending(8);
  ASSERT_TRUE(too_few);
  EXPECT_EQ(too_few->answer, Answer::kViolated);
  EXPECT_EQ(too_few->core.size(), 11u) << "all puts, and the take";
}

TEST(SpecialQueue, NoticesWhenOneOfManyPendingTakesComesTooLate) {
  const auto late = decide_with_pending(9, 1);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->answer, Answer::kViolated);
  EXPECT_EQ(late->core.size(), 11u) << "all puts, and the take";
}

TEST(SpecialQueue, ABlockingTakeNeverReturnsWithNothing) {
  const auto verdict = decide("p: [deq -> null]", "blocking_queue");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, Indices{0});
}

TEST(SpecialQueue, CountsHowOftenAValueWasPutAndTaken) {
  const auto verdict = decide(R"(
    p: [enq 1] [enq 2] [deq -> 1] [enq 1] [deq -> 2] [deq -> 1] [deq -> 1]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{0, 2, 3, 5, 6}));
}

TEST(SpecialQueue, RepeatedValuesAreBlamedUpToTheFirstTakeThatCannotBe) {
  const auto verdict = decide(R"(
    p: [enq 1] [enq 2] [enq 1] [deq -> 1] [deq -> 1]  [deq -> 2]
    q:                                                            [enq 2]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{0, 1, 2, 3, 4}));
}

TEST(SpecialQueue, LeavesNullToTheGeneralSearch) {
  EXPECT_FALSE(decide("p: [enq null] [deq -> null]"));
  EXPECT_TRUE(decide("p: [enq 1] [enq one]")) << "different kinds differ";
}

TEST(SpecialQueue, StopsWhenTheBudgetIsSpent) {
  const auto queue = spec::make("queue");
  Budget none = Budget().with_steps(0);
  const auto verdict =
      decide_queue(testing::draw(*queue, "p: [enq 1] [deq -> 1]"), {}, none);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kUnknown);
  EXPECT_EQ(verdict->reason, "the limit on search steps was reached");
}

TEST(SpecialQueue, AgreesWithTheDefinitionOnAllSmallHistories) {
  Comparison comparison("queue");
  special_test::compare_exhaustively(comparison);
  EXPECT_EQ(comparison.decided(), comparison.total());
}

TEST(SpecialQueue, AgreesWithTheDefinitionOnRandomHistories) {
  for (const char* name : {"queue", "blocking_queue"}) {
    SCOPED_TRACE(name);
    Random random(31);
    Comparison comparison(name);
    const auto integers = [](std::int64_t n) { return Value::integer(n); };
    const auto texts = [](std::int64_t n) {
      return Value::text("v" + std::to_string(n));
    };
    compare_at_random(comparison, 1, 30'000,
                      special_test::container_calls(random, integers),
                      special_test::change_takes);
    compare_at_random(comparison, 2, 3'000,
                      special_test::container_calls(random, texts),
                      special_test::change_takes);
    EXPECT_EQ(comparison.decided(), comparison.total());
    EXPECT_GT(comparison.violated(), comparison.total() / 20);
  }
}

TEST(SpecialQueue, AgreesWithTheDefinitionOnAllSmallHistoriesWithRepeats) {
  Comparison comparison("queue");
  special_test::compare_repeats_exhaustively(comparison);
  EXPECT_EQ(comparison.decided(), comparison.total());
}

TEST(SpecialQueue, AgreesWithTheDefinitionOnRandomHistoriesWithRepeats) {
  for (const char* name : {"queue", "blocking_queue"}) {
    Comparison comparison(name);
    special_test::compare_repeats_at_random(comparison, 3, 15'000);
  }
}

TEST(SpecialQueue, AgreesWithTheDefinitionWhenManyTakesNeverReturn) {
  special_test::compare_with_lost_takes("queue", 61, 15'000);
}

}  // namespace
}  // namespace plumb::check
