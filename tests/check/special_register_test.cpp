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

constexpr std::uint16_t kRead = 0, kWrite = 1, kCas = 2;

std::optional<Verdict> decide(std::string_view picture) {
  Budget budget;
  return decide_register(testing::draw(*spec::make("register"), picture), {},
                         budget);
}

TEST(SpecialRegister, KnowsTheCodesOfItsOperations) {
  const auto one = spec::make("register");
  EXPECT_EQ(spec::find_operation(*one, "read"), kRead);
  EXPECT_EQ(spec::find_operation(*one, "write"), kWrite);
  EXPECT_EQ(spec::find_operation(*one, "cas"), kCas);
}

TEST(SpecialRegister, HoldsNullAtFirst) {
  const auto good = decide("p: [read -> null] [write 1] [read -> 1]");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->answer, Answer::kHolds);
  const auto bad = decide("p: [write 1] [read -> null]");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->core, (Indices{0, 1}));
}

TEST(SpecialRegister, NamesTheReadOfAValueThatWasNeverWritten) {
  const auto verdict = decide("p: [write 1] [read -> 2] [read -> 1]");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, Indices{1});
}

TEST(SpecialRegister, AnOldValueDoesNotComeBack) {
  const auto verdict = decide(R"(
    p: [write 1] [read -> 1]            [read -> 1]
    q:                       [write 2]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{0, 2, 3}));
}

TEST(SpecialRegister, ACasTakesItsOldValuesPlaceAtOnce) {
  const auto good = decide(R"(
    p: [write 1] [cas (1,2) -> true] [read -> 2]
    q:   [write 5                           ]
  )");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->answer, Answer::kHolds);
  const auto bad = decide(R"(
    p: [write 1]           [cas (1,2) -> true] [read -> 2]
    q:            [write 5]
  )");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->answer, Answer::kViolated);
}

TEST(SpecialRegister, TwoCasOfOneValueCannotBothSucceed) {
  const auto verdict = decide(R"(
    p: [write 1] [cas (1,2) -> true]
    q:           [cas (1,3) -> true]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, (Indices{0, 1, 2}));
}

TEST(SpecialRegister, ACircleOfCasComesFromNowhere) {
  const auto verdict = decide(R"(
    p: [cas (1,2) -> true]  [write 3]
    q: [cas (2,1) -> true]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->core, (Indices{0, 1}));
}

TEST(SpecialRegister, AFailedCasFindsAMomentWithAnotherValue) {
  const auto good = decide(R"(
    p: [write 1] [write 2] [write 3]
    q:               [cas (2,9) -> false]
  )");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->answer, Answer::kHolds);
}

TEST(SpecialRegister, AFailedCasCannotRunWhileItsOldValueIsThereForSure) {
  const auto verdict = decide(R"(
    p: [write 5] [write 1] [cas (1,9) -> false] [read -> 1]
  )");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
  EXPECT_EQ(verdict->core, (Indices{1, 2, 3}));
}

// LIMIT of special_register.cpp.
TEST(SpecialRegister, LeavesAFailedCasWithoutAMomentToTheGeneralSearch) {
  EXPECT_FALSE(decide("p: [write 1] [cas (1,9) -> false]"));
}

TEST(SpecialRegister, LeavesRepeatedValuesToTheGeneralSearch) {
  EXPECT_FALSE(decide("p: [write 1] [write 2] [write 1]"));
  EXPECT_FALSE(decide("p: [write 1] [write null]"));
  EXPECT_FALSE(decide("p: [write 1] [cas (1,2) -> true] [cas (2,1) -> true]"));
}

TEST(SpecialRegister, APendingCasTakesEffectIfItsValueWasSeen) {
  const auto good = decide(R"(
    p: [write 1] [cas (1,2) ...
    q:               [read -> 1] [read -> 2]
  )");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->answer, Answer::kHolds);
  const auto bad = decide(R"(
    p: [write 1] [cas (1,2) ...
    q:               [read -> 2] [read -> 1]
  )");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->answer, Answer::kViolated);
}

// Writes and cas to new values, mostly; cas from values seen before.
NextCall random_calls(Random& random) {
  const std::uint32_t percent_writes = 20 + below(random, 30);
  const std::uint32_t percent_cas = below(random, 50);
  const std::uint32_t percent_odd = chance(random, 20) ? 15 : 0;
  auto written = std::make_shared<std::int64_t>(0);
  return [=](Random& r) -> spec::Call {
    const auto some_value = [&] {
      const auto n = static_cast<std::int64_t>(
          below(r, static_cast<std::uint32_t>(*written) + 1));
      return n == 0 ? Value() : Value::integer(n);
    };
    if (chance(r, percent_cas)) {
      const Value old = chance(r, 60) && *written > 0 ? Value::integer(*written)
                                                      : some_value();
      const Value next =
          chance(r, percent_odd) ? some_value() : Value::integer(++*written);
      const Value pair[] = {old, next};
      return {kCas, Value::list(pair)};
    }
    if (chance(r, percent_writes)) return {kWrite, Value::integer(++*written)};
    return {kRead, Value()};
  };
}

void change_results(History& history, Random& random) {
  std::vector<Value> values = {Value(), Value::integer(99)};
  for (const Operation& operation : history.operations) {
    if (operation.code == kWrite) values.push_back(operation.argument);
    if (operation.code == kCas) {
      values.push_back(operation.argument.items()[1]);
    }
  }
  for (Operation& operation : history.operations) {
    if (operation.pending() || !chance(random, 35)) continue;
    if (operation.code == kRead) {
      operation.result =
          values[below(random, static_cast<std::uint32_t>(values.size()))];
    } else if (operation.code == kCas && chance(random, 50)) {
      operation.result = Value::boolean(!operation.result.is_true());
    }
  }
}

TEST(SpecialRegister, AgreesWithTheDefinitionOnRandomHistories) {
  Random random(51);
  Comparison comparison("register");
  compare_at_random(
      comparison, 7, 100'000, [&] { return random_calls(random); },
      change_results);
  EXPECT_GT(comparison.decided(), comparison.total() * 8 / 10);
  EXPECT_GT(comparison.violated(), comparison.total() / 10);
}

// Writes 1, 2, ...; a cas changes one of the first three values to the next
// new one; reads see any of them.
void judge_all_calls(Comparison& comparison, History history, std::size_t next,
                     std::int64_t values, Random& random) {
  if (::testing::Test::HasFatalFailure()) return;
  if (next == history.size()) {
    comparison.judge(history, random);
    return;
  }
  Operation& operation = history.operations[next];
  const bool pending = operation.pending();
  operation.code = kWrite;
  operation.argument = Value::integer(values + 1);
  operation.result = Value();
  judge_all_calls(comparison, history, next + 1, values + 1, random);
  for (std::int64_t v = 0; v < 3; ++v) {
    const Value seen = v == 0 ? Value() : Value::integer(v);
    const Value pair[] = {seen, Value::integer(values + 1)};
    operation.code = kCas;
    operation.argument = Value::list(pair);
    operation.result = pending ? Value() : Value::boolean(true);
    judge_all_calls(comparison, history, next + 1, values + 1, random);
    if (pending) continue;
    operation.code = kRead;
    operation.argument = Value();
    operation.result = seen;
    judge_all_calls(comparison, history, next + 1, values, random);
  }
}

TEST(SpecialRegister, AgreesWithTheDefinitionOnAllSmallHistories) {
  Random random(9);
  Comparison comparison("register");
  for (std::size_t size = 1; size <= 4; ++size) {
    special_test::for_every_overlap(
        size, size <= 3, [&](const History& history) {
          judge_all_calls(comparison, history, 0, 0, random);
        });
  }
  EXPECT_EQ(comparison.decided(), comparison.total());
}

}  // namespace
}  // namespace plumb::check
