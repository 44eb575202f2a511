// SPDX-License-Identifier: Apache-2.0
#include "check/special_test_support.h"

namespace plumb::check {
namespace {

using special_test::below;
using special_test::chance;
using special_test::Comparison;
using special_test::History;
using special_test::Indices;
using special_test::NextCall;
using special_test::Operation;
using special_test::Random;

constexpr std::uint16_t kAdd = 0, kRemove = 1, kContains = 2;

std::optional<Verdict> decide(std::string_view picture) {
  Budget budget;
  return decide_set(testing::draw(*spec::make("set"), picture), {}, budget);
}

TEST(SpecialSet, KnowsTheCodesOfItsOperations) {
  const auto set = spec::make("set");
  EXPECT_EQ(spec::find_operation(*set, "add"), kAdd);
  EXPECT_EQ(spec::find_operation(*set, "remove"), kRemove);
  EXPECT_EQ(spec::find_operation(*set, "contains"), kContains);
}

TEST(SpecialSet, AValueIsAbsentBeforeAndAfter) {
  const auto verdict = decide(R"(
    p: [contains 1 -> false]  [add 1 -> true] [remove 1 -> true]
    q: [remove 1 -> false]                       [contains 1 -> true]
    r:                                              [contains 1 -> false]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kHolds);
}

TEST(SpecialSet, NamesTheOperationThatSawWhatNobodyAdded) {
  const auto verdict = decide(R"(
    p: [add 1 -> true] [contains 2 -> true] [remove 1 -> true]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, Indices{1});
}

TEST(SpecialSet, NamesTheOperationThatMissedAPresentValue) {
  const auto verdict = decide(R"(
    p: [add 1 -> true] [contains 1 -> false] [contains 1 -> true]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, (Indices{0, 1})) << "nobody removed it";
}

TEST(SpecialSet, APendingAddTakesEffectIfItsValueWasSeen) {
  const auto seen = decide(R"(
    p: [add 1 ...
    q:    [contains 1 -> false] [contains 1 -> true]
  )");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->answer, Answer::kHolds);
  const auto too_late = decide(R"(
    p:                         [add 1 ...
    q:    [contains 1 -> true]
  )");
  ASSERT_TRUE(too_late);
  EXPECT_EQ(too_late->answer, Answer::kViolated);
}

// LIMIT of special_set.cpp.
TEST(SpecialSet, LeavesValuesThatAreAddedTwiceToTheGeneralSearch) {
  EXPECT_FALSE(decide(R"(
    p: [add 1 -> true] [remove 1 -> true] [add 1 -> true]
  )"));
  const auto other = decide(R"(
    p: [add 1 -> true] [remove 1 -> true] [add 1 -> true] [remove 2 -> true]
  )");
  ASSERT_TRUE(other) << "another value shows the violation";
  EXPECT_EQ(other->core, Indices{3});
}

// Calls on one, two or many values.
NextCall random_calls(Random& random) {
  const std::uint32_t values = 1 + below(random, 4);
  const std::uint32_t percent_contains = below(random, 60);
  return [=](Random& r) -> spec::Call {
    const Value value = Value::integer(below(r, values));
    if (chance(r, percent_contains)) return {kContains, value};
    return {chance(r, 55) ? kAdd : kRemove, value};
  };
}

void change_results(History& history, Random& random) {
  for (Operation& operation : history.operations) {
    if (operation.pending() || !chance(random, 25)) continue;
    operation.result = Value::boolean(!operation.result.is_true());
  }
}

TEST(SpecialSet, AgreesWithTheDefinitionOnRandomHistories) {
  Random random(41);
  Comparison comparison("set");
  compare_at_random(
      comparison, 5, 60'000, [&] { return random_calls(random); },
      change_results);
  EXPECT_GT(comparison.decided(), comparison.total() / 2);
  EXPECT_GT(comparison.violated(), comparison.total() / 10);
}

// All calls on one value with all results.
void judge_all_calls(Comparison& comparison, History history, std::size_t next,
                     Random& random) {
  if (::testing::Test::HasFatalFailure()) return;
  if (next == history.size()) {
    comparison.judge(history, random);
    return;
  }
  Operation& operation = history.operations[next];
  operation.argument = Value::integer(7);
  for (const std::uint16_t code : {kAdd, kRemove, kContains}) {
    operation.code = code;
    for (const bool result : {false, true}) {
      if (operation.pending() && result) continue;
      operation.result = operation.pending() ? Value() : Value::boolean(result);
      judge_all_calls(comparison, history, next + 1, random);
    }
  }
}

TEST(SpecialSet, AgreesWithTheDefinitionOnAllSmallHistoriesOfOneValue) {
  Random random(6);
  Comparison comparison("set");
  for (std::size_t size = 1; size <= 4; ++size) {
    special_test::for_every_overlap(
        size, size <= 3, [&](const History& history) {
          judge_all_calls(comparison, history, 0, random);
        });
  }
  EXPECT_GT(comparison.decided(), comparison.total() / 2);
}

}  // namespace
}  // namespace plumb::check
