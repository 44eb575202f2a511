// SPDX-License-Identifier: Apache-2.0
#include "check/special_collection_test_support.h"

namespace plumb::check {
namespace {

using special_test::Comparison;
using special_test::Indices;
using special_test::Random;

std::optional<Verdict> decide(std::string_view picture) {
  Budget budget;
  return decide_priority_queue(
      testing::draw(*spec::make("priority_queue"), picture), {}, budget);
}

TEST(SpecialPriorityQueue, KnowsTheCodesOfItsOperations) {
  const auto queue = spec::make("priority_queue");
  EXPECT_EQ(spec::find_operation(*queue, "insert"), special_test::kPut);
  EXPECT_EQ(spec::find_operation(*queue, "remove_min"), special_test::kTake);
}

TEST(SpecialPriorityQueue, TheSmallestLeavesFirst) {
  const auto good = decide(R"(
    p: [insert 2] [insert 1] [remove_min -> 1] [remove_min -> 2]
  )");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->answer, Answer::kHolds);
  const auto bad = decide(R"(
    p: [insert 5] [insert 2] [insert 1] [remove_min -> 2] [remove_min -> 1]
  )");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->answer, Answer::kViolated);
  EXPECT_EQ(bad->core, (Indices{1, 2, 3, 4}));
}

TEST(SpecialPriorityQueue, ValuesOfEqualPriorityLeaveInAnyOrder) {
  const auto verdict = decide(R"(
    p: [insert (1,a)] [insert (1,b)] [remove_min -> (1,b)] [remove_min -> (1,a)]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
}

TEST(SpecialPriorityQueue, ASmallerValueThatStaysBlocksALargerOne) {
  const auto verdict = decide("p: [insert 1] [insert 2] [remove_min -> 2]");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, (Indices{0, 1, 2}));
}

TEST(SpecialPriorityQueue, APendingTakeMayHaveTakenTheSmallerValue) {
  const auto verdict = decide(R"(
    p: [insert 1] [insert 2]    [remove_min -> 2]
    q:                       [remove_min ...
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
}

// The pending take took a 1, or the 2 before either 1 came: then the frontier
// after it is the same and what is inside is not.
TEST(SpecialPriorityQueue, RemembersWhatPendingTakesTook) {
  const auto verdict = decide(R"(
    p0:                 [insert 1]
    p1:  [insert 2  ]  [insert 4          ]
    p2:                  [insert 3       ]
    p3:   [insert 1] [remove_min ...
    p4: [remove_min -> null]
    p5:               [remove_min -> 1] [remove_min -> 2]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
}

TEST(SpecialPriorityQueue, APendingTakeMayHaveTakenAnyOfEqualPriority) {
  const auto verdict = decide(R"(
    p: [insert (1,a)] [insert (1,b)] [insert (1,b)]    [remove_min -> (1,b)]
    q:                                 [remove_min ...
    r: [insert (1,c)]  [remove_min -> (1,c)]          [remove_min -> (1,b)]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
}

TEST(SpecialPriorityQueue, AgreesWithTheDefinitionOnAllSmallHistories) {
  Comparison comparison("priority_queue");
  special_test::compare_exhaustively(comparison);
  EXPECT_EQ(comparison.decided(), comparison.total());
}

Value integer(std::int64_t n) {
  return Value::integer(n);
}
Value far_apart(std::int64_t n) {
  return Value::integer(n * 1'000'000'000);
}
Value of_any_kind(std::int64_t n) {
  return n % 2 == 0 ? Value::real(static_cast<double>(n) + 0.5)
                    : Value::integer(n);
}
// Several values for each priority.
Value with_item(std::int64_t n) {
  const Value items[] = {Value::integer(n % 3), Value::integer(n)};
  return n % 5 == 0 ? items[0] : Value::list(items);
}

// 1, [1, 2] and [2, 3].
Value in_two_ranks(std::int64_t n) {
  const Value items[] = {Value::integer(n / 2), Value::integer(n)};
  return n == 1 ? items[0] : Value::list(items);
}

TEST(SpecialPriorityQueue, AgreesWithTheDefinitionOnRandomHistories) {
  for (const char* name : {"priority_queue", "blocking_priority_queue"}) {
    for (const auto value_of : {integer, far_apart, of_any_kind, with_item}) {
      SCOPED_TRACE(name);
      Random random(34);
      Comparison comparison(name);
      compare_at_random(comparison, 4, 10'000,
                        special_test::container_calls(random, value_of),
                        special_test::change_takes);
      EXPECT_GT(comparison.decided(), comparison.total() * 9 / 10);
      EXPECT_GT(comparison.violated(), comparison.total() / 20);
    }
  }
}

TEST(SpecialPriorityQueue,
     AgreesWithTheDefinitionOnAllSmallHistoriesWithRepeats) {
  Comparison comparison("priority_queue");
  special_test::compare_repeats_exhaustively(comparison);
  EXPECT_EQ(comparison.decided(), comparison.total());
}

TEST(SpecialPriorityQueue,
     AgreesWithTheDefinitionOnRandomHistoriesWithRepeats) {
  for (const char* name : {"priority_queue", "blocking_priority_queue"}) {
    for (const auto value_of : {integer, in_two_ranks}) {
      Comparison comparison(name);
      special_test::compare_repeats_at_random(comparison, 4, 8'000, value_of);
    }
  }
}

TEST(SpecialPriorityQueue, AgreesWithTheDefinitionWhenManyTakesNeverReturn) {
  special_test::compare_with_lost_takes("priority_queue", 63, 15'000);
}

}  // namespace
}  // namespace plumb::check
