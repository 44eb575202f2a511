// SPDX-License-Identifier: Apache-2.0
#include "check/literal.h"

#include <gtest/gtest.h>

#include "check/decide.h"
#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/histories.h"

namespace plumb::check {
namespace {

using testing::in_sequence;

Answer literally(const std::string& calls, const std::string& condition) {
  const auto queue = spec::make("queue");
  Condition parsed = parse_condition(condition);
  parsed.reading = Reading::kLiteral;
  parsed.closed = true;
  const history::History history = in_sequence(*queue, calls);
  Budget budget;
  const Answer answer = decide(history, *queue, parsed, {}, budget).answer;
  EXPECT_EQ(answer == Answer::kHolds, oracle::holds(history, *queue, parsed));
  return answer;
}

TEST(Literal, AValueMayBeTakenOutBeforeItIsPutIn) {
  EXPECT_EQ(literally("deq -> 1, enq 1", "quasi(deq=0)"), Answer::kHolds);
  EXPECT_EQ(literally("deq -> 1, enq 2", "quasi(deq=0)"), Answer::kViolated);
}

// The legal order begins with the puts, so that all three takes have their
// places before the first of them is executed: only comparing the two places
// of `deq -> 1`, two apart, tells that this is too far.
TEST(Literal, CountsPlacesOfOperationsThatWaitForOtherClasses) {
  const char* calls = "deq -> 2, deq -> 3, deq -> 1, enq 1, enq 2, enq 3";
  EXPECT_EQ(literally(calls, "quasi(deq=1)"), Answer::kViolated);
  EXPECT_EQ(literally(calls, "quasi(deq=2)"), Answer::kHolds);
}

TEST(Literal, JudgesTheHistoryAlone) {
  EXPECT_EQ(literally("enq 1, enq 2, deq -> 2", "quasi(deq=1)"),
            Answer::kViolated);
  EXPECT_EQ(literally("enq 1, enq 2, deq -> 2, deq -> 1", "quasi(deq=1)"),
            Answer::kHolds);
}

// LIMIT of literal.cpp.
TEST(Literal, DoesNotJudgeVeryLongHistories) {
  const auto queue = spec::make("queue");
  history::History history = in_sequence(*queue, "enq 1, enq 2, deq -> 2");
  history.operations.resize(5001, history.operations[0]);
  Condition condition = parse_condition("quasi(deq=1)");
  condition.reading = Reading::kLiteral;
  Budget budget;
  const Verdict verdict = decide(history, *queue, condition, {}, budget);
  EXPECT_EQ(verdict.answer, Answer::kUnknown);
  EXPECT_EQ(verdict.reason,
            "the literal reading is limited to 5000 operations");
}

}  // namespace
}  // namespace plumb::check
