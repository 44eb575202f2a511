// SPDX-License-Identifier: Apache-2.0
// The examples of the papers that the conditions come from.
#include <gtest/gtest.h>

#include <string>

#include "check/condition.h"
#include "check/decide.h"
#include "spec/catalogue.h"
#include "support/histories.h"

namespace plumb::check {
namespace {

using plumb::testing::draw;
using plumb::testing::in_sequence;

Answer judge(const history::History& history, const char* object,
             const char* condition, bool closed = false) {
  Budget budget;
  Condition parsed = parse_condition(condition);
  parsed.closed = closed;
  return decide(history, *spec::make(object), parsed, {}, budget).answer;
}

Answer judge_picture(const char* picture, const char* object,
                     const char* condition) {
  return judge(draw(*spec::make(object), picture), object, condition);
}

Answer judge_calls(const std::string& calls, const char* condition,
                   bool closed = false) {
  return judge(in_sequence(*spec::make("queue"), calls), "queue", condition,
               closed);
}

// [DerrickEtAl14]: a queue made of two, with
// a bit that says which of them the next call goes to.

// Its h1: process 1 has taken its turn, so the others come one too late.
constexpr const char* kTurnTaken = R"(
    1: [deq                                                -> c]
    2:   [enq a]
    3:          [enq b]
    4:                 [deq -> b]
    5:                           [deq -> a]
    6:                                     [enq c]
    )";

TEST(QuiescentPaper, ATurnThatWasTakenIsQuiescentConsistentOnly) {
  for (const char* object : {"queue", "blocking_queue"}) {
    EXPECT_EQ(judge_picture(kTurnTaken, object, "linearizable"),
              Answer::kViolated);
    EXPECT_EQ(judge_picture(kTurnTaken, object, "quiescent"), Answer::kHolds);
    EXPECT_EQ(judge_picture(kTurnTaken, object, "sequential"), Answer::kHolds);
  }
}

// Its h2, the sequence that explains h1.
TEST(QuiescentPaper, TheSequenceThatExplainsItSatisfiesEverything) {
  constexpr const char* kExplained =
      "enq b, enq a, deq -> b, deq -> a, enq c, deq -> c";
  const auto queue = spec::make("blocking_queue");
  const auto history = in_sequence(*queue, kExplained);
  for (const char* condition : {"linearizable", "sequential", "quiescent"}) {
    EXPECT_EQ(judge(history, "blocking_queue", condition), Answer::kHolds);
    EXPECT_EQ(judge(history, "queue", condition), Answer::kHolds);
  }
}

// Its h3: without blocking, a value can be missed although nothing overlaps.
constexpr const char* kMissed = R"(
    1: [deq -> null]
    2:               [enq a]
    3:                       [deq -> null]
    )";

TEST(QuiescentPaper, AMissedValueIsNotEvenQuiescentConsistent) {
  EXPECT_EQ(judge_picture(kMissed, "queue", "quiescent"), Answer::kViolated);
  EXPECT_EQ(judge_picture(kMissed, "queue", "linearizable"), Answer::kViolated);
  EXPECT_EQ(judge_picture(kMissed, "queue", "sequential"), Answer::kHolds);
}

TEST(QuiescentPaper, ABlockingTakeDoesNotComeBackWithNothing) {
  EXPECT_EQ(judge_picture("1: [deq -> null]", "blocking_queue", "quiescent"),
            Answer::kViolated);
  EXPECT_EQ(judge_picture("1: [deq -> null]", "queue", "quiescent"),
            Answer::kHolds);
  EXPECT_EQ(judge_picture("1: [deq ...", "blocking_queue", "linearizable"),
            Answer::kHolds);
}

// The example of its conclusion: process 2 takes b out before it puts it in.
TEST(QuiescentPaper, QuiescentConsistencyGivesUpProgramOrder) {
  constexpr const char* kPicture = R"(
      1: [enq a                    ]
      2:   [deq -> b]   [enq b]
      )";
  for (const char* object : {"queue", "blocking_queue"}) {
    EXPECT_EQ(judge_picture(kPicture, object, "quiescent"), Answer::kHolds);
    EXPECT_EQ(judge_picture(kPicture, object, "sequential"), Answer::kViolated);
    EXPECT_EQ(judge_picture(kPicture, object, "quiescent+sequential"),
              Answer::kViolated);
    EXPECT_EQ(judge_picture(kPicture, object, "linearizable"),
              Answer::kViolated);
  }
}

// [AdhikariEtAl15], Fig. 1 as its text describes it: three histories
// of a relaxed queue.

TEST(QuasiPaper, TheFirstOfThreeHistoriesIsLinearizable) {
  constexpr const char* kPicture = R"(
      1: [enq x]      [deq -> x]
      2:         [enq y      ]   [deq -> y]
      )";
  EXPECT_EQ(judge_picture(kPicture, "queue", "linearizable"), Answer::kHolds);
}

TEST(QuasiPaper, TheSecondIsOffByOne) {
  constexpr const char* kPicture = R"(
      1: [enq x]           [deq -> y]
      2:         [enq y]              [deq -> x]
      )";
  EXPECT_EQ(judge_picture(kPicture, "queue", "linearizable"),
            Answer::kViolated);
  EXPECT_EQ(judge_picture(kPicture, "queue", "quasi(deq=1)"), Answer::kHolds);
}

TEST(QuasiPaper, TheThirdIsOffByTwo) {
  constexpr const char* kPicture = R"(
      1: [enq x]           [enq z]            [deq -> y]
      2:         [enq y]           [deq -> z]            [deq -> x]
      )";
  EXPECT_EQ(judge_picture(kPicture, "queue", "linearizable"),
            Answer::kViolated);
  EXPECT_EQ(judge_picture(kPicture, "queue", "quasi(deq=1)"),
            Answer::kViolated);
  EXPECT_EQ(judge_picture(kPicture, "queue", "quasi(deq=2)"), Answer::kHolds);
}

// Its Fig. 4: what may come out with factor 1 after 1, 2, 3, 4 went in.
TEST(QuasiPaper, WithFactorOneNeighboursMayChangePlaces) {
  const std::string in = "enq 1, enq 2, enq 3, enq 4, ";
  for (const char* out : {"deq -> 1, deq -> 2, deq -> 3, deq -> 4",
                          "deq -> 1, deq -> 2, deq -> 4, deq -> 3",
                          "deq -> 2, deq -> 1, deq -> 3, deq -> 4",
                          "deq -> 2, deq -> 1, deq -> 4, deq -> 3"}) {
    EXPECT_EQ(judge_calls(in + out, "quasi(deq=1)"), Answer::kHolds) << out;
    EXPECT_EQ(judge_calls(in + out, "quasi(deq=1)", true), Answer::kHolds);
  }
  for (const char* out : {"deq -> 3, deq -> 1, deq -> 2, deq -> 4",
                          "deq -> 2, deq -> 3, deq -> 1, deq -> 4",
                          "deq -> 1, deq -> 4, deq -> 2, deq -> 3"}) {
    EXPECT_EQ(judge_calls(in + out, "quasi(deq=1)"), Answer::kViolated) << out;
    EXPECT_EQ(judge_calls(in + out, "quasi(deq=2)"), Answer::kHolds) << out;
  }
}

// It is the middle pair that changes places: a segmented queue with segments
// of two never does that, the definition allows it.
TEST(QuasiPaper, TheDefinitionAllowsMoreThanASegmentedQueueDoes) {
  EXPECT_EQ(judge_calls("enq 1, enq 2, enq 3, enq 4, "
                        "deq -> 1, deq -> 3, deq -> 2, deq -> 4",
                        "quasi(deq=1)"),
            Answer::kHolds);
}

// Its Sect. 4: a value that is always passed over is off by more and more.
TEST(QuasiPaper, AValueMustNotBePassedOverForEver) {
  EXPECT_EQ(judge_calls("enq 1, enq 2, enq 3, enq 4, "
                        "deq -> 2, deq -> 3, deq -> 4, deq -> 1",
                        "quasi(deq=1)"),
            Answer::kViolated);
}

// 3 1 5 2 7 4 9 6 ...: nothing is ever off by more than 2, and there is never
// a moment at which all that went before has come out.  A window of 2Q + 1
// operations, as in [AdhikariEtAl15], rejects it.
std::string endless_pattern(int takes) {
  std::string calls;
  for (int value = 1; value <= takes + 2; ++value) {
    calls += "enq " + std::to_string(value) + ", ";
  }
  for (int place = 1; place <= takes; ++place) {
    // Odd places: two ahead.  Even places: two behind, except the first two.
    const int value = place % 2 == 1 ? place + 2 : place == 2 ? 1 : place - 2;
    calls += "deq -> " + std::to_string(value);
    if (place < takes) calls += ", ";
  }
  return calls;
}

TEST(QuasiPaper, ThePatternWithoutACutHoldsWithFactorTwoOnly) {
  for (const int takes : {1, 2, 3, 4, 5, 6, 7, 8, 50, 499}) {
    const std::string calls = endless_pattern(takes);
    EXPECT_EQ(judge_calls(calls, "quasi(deq=2)"), Answer::kHolds) << takes;
    EXPECT_EQ(judge_calls(calls, "quasi(deq=1)"), Answer::kViolated) << takes;
  }
}

}  // namespace
}  // namespace plumb::check
