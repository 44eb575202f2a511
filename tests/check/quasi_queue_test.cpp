// SPDX-License-Identifier: Apache-2.0
// The decider of quasi(deq=K) on a queue.
#include <gtest/gtest.h>

#include "check/decide.h"
#include "check/special_collection_test_support.h"
#include "check/special_repeated.h"
#include "oracle/definition.h"
#include "support/generate.h"

namespace plumb::check {
namespace {

using special_test::below;
using special_test::chance;
using special_test::History;
using special_test::kPut;
using special_test::kTake;
using special_test::Random;

std::optional<Verdict> decide_quasi(const History& history,
                                    std::uint32_t factor, bool closed) {
  Budget budget;
  return decide_quasi_queue(history, {factor, closed}, {.want_order = true},
                            budget);
}

Answer answer(const char* picture, std::uint32_t factor, bool closed = false) {
  const auto queue = spec::make("queue");
  const auto verdict =
      decide_quasi(testing::draw(*queue, picture), factor, closed);
  return verdict ? verdict->answer : Answer::kUnknown;
}

TEST(QuasiQueue, NoTakeIsFurtherFromItsPlaceThanTheFactor) {
  const char* overtaken_twice =
      "p: [enq 1] [enq 2] [enq 3] [deq -> 2] [deq -> 3] [deq -> 1]";
  EXPECT_EQ(answer(overtaken_twice, 1), Answer::kViolated);
  EXPECT_EQ(answer(overtaken_twice, 2), Answer::kHolds);
}

TEST(QuasiQueue, AFurtherTakeMayTakeWhatWasOvertaken) {
  const char* overtaken = "p: [enq 1] [enq 2] [deq -> 2]";
  EXPECT_EQ(answer(overtaken, 1), Answer::kHolds);
  EXPECT_EQ(answer(overtaken, 1, true), Answer::kViolated);
  // A take of 1 would be two places late.
  const char* twice = "p: [enq 1] [enq 2] [enq 3] [deq -> 2] [deq -> 3]";
  EXPECT_EQ(answer(twice, 1), Answer::kViolated);
  EXPECT_EQ(answer(twice, 2), Answer::kHolds);
}

TEST(QuasiQueue, APendingTakeMayHaveTakenWhatWasOvertaken) {
  EXPECT_EQ(answer(R"(
              p: [enq 1] [enq 2]  [deq -> 2]
              q:                [deq ...
            )",
                   1, true),
            Answer::kHolds);
}

TEST(QuasiQueue, ATakeThatFoundNothingKeepsItsPlace) {
  EXPECT_EQ(answer("p: [enq 1] [deq -> null] [deq -> 1]", 3),
            Answer::kViolated);
}

// Random histories with repeats and lost operations against the definition.
TEST(QuasiQueue, AgreesWithTheDefinition) {
  const auto queue = spec::make("queue");
  Random random(8);
  int decided = 0, violated = 0;
  constexpr int kRounds = 2'000;
  for (int round = 0; round < kRounds; ++round) {
    special_test::Look look;
    look.operations = 6;
    look.processes = 1 + below(random, 4);
    look.coarse = chance(random, 20) ? 3 : 1;
    const std::uint32_t values = 1 + below(random, 4);
    const special_test::NextCall call = [=](Random& r) -> spec::Call {
      if (chance(r, 45)) return {kTake, Value()};
      return {kPut, Value::integer(1 + below(r, values))};
    };
    History history = special_test::Simulation(*queue, look, random).run(call);
    for (int changes = 0; changes < 2; ++changes) {
      if (chance(random, 70)) special_test::change_takes(history, random);
    }
    if (chance(random, 30)) special_test::change_and_lose_some(history, random);
    Condition condition;
    condition.closed = chance(random, 40);
    condition.factors["deq"] = 1 + below(random, 2);
    const auto verdict =
        decide_quasi(history, condition.factors["deq"], condition.closed);
    if (!verdict) continue;
    ++decided;
    const bool holds = oracle::holds(history, *queue, condition);
    violated += holds ? 0 : 1;
    ASSERT_EQ(verdict->answer, holds ? Answer::kHolds : Answer::kViolated)
        << condition.to_string() << (condition.closed ? ", closed" : "") << '\n'
        << testing::picture(history, *queue) << "in round " << round;
    if (holds) continue;
    const History core = special_test::only(history, verdict->core);
    EXPECT_FALSE(oracle::holds(core, *queue, condition))
        << testing::picture(history, *queue);
  }
  EXPECT_EQ(decided, kRounds);
  EXPECT_GT(violated, kRounds / 10);
}

TEST(QuasiQueue, JudgesLongHistoriesOfRelaxedQueues) {
  testing::Load load;
  load.operations = 5'000;
  for (load.relaxed = 1; load.relaxed <= 4; ++load.relaxed) {
    const History history = testing::generate(load);
    const auto factor = static_cast<std::uint32_t>(load.relaxed);
    const auto verdict = decide_quasi(history, factor, false);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->answer, Answer::kHolds);
    EXPECT_EQ(verdict->order.size(), history.size());
  }
  const auto verdict = decide_quasi(testing::generate(load), 1, false);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->answer, Answer::kViolated);
}

}  // namespace
}  // namespace plumb::check
