// SPDX-License-Identifier: Apache-2.0
#include "harness/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "check/decide.h"
#include "harness/translate.h"
#include "oracle/definition.h"
#include "spec/catalogue.h"

namespace plumb::harness {
namespace {

using check::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Value number(int n) {
  return Value::integer(n);
}

// A test of a queue with the calls enq(1), enq(2) and deq().
enum QueueCall : std::uint16_t { kEnq1, kEnq2, kDeq };

test::Case queue_case() {
  test::Case test;
  test.name = "my_queue";
  test.settings.spec = "queue";
  test.operations.resize(2);
  test.operations[0].name = "enq";
  test.operations[1].name = "deq";
  test.calls.resize(3);
  test.calls[kEnq1].argument = number(1);
  test.calls[kEnq2].argument = number(2);
  test.calls[kDeq].operation = 1;
  return test;
}

struct Made {
  int thread;
  std::uint16_t call;
  std::optional<Value> result = Value();  // nothing: pending
};

CallTrace trace_of(const std::vector<Made>& calls) {
  CallTrace trace;
  trace.before.fill(0);
  for (const Made& one : calls) {
    const std::size_t i = trace.size++;
    trace.thread[i] = static_cast<std::uint8_t>(one.thread);
    trace.call[i] = one.call;
    trace.result[i] = one.result.value_or(Value());
    if (!one.result) trace.pending |= 1u << i;
  }
  close_order(trace);
  return trace;
}

// `a` sees the beginning of `b`.
void let_see(CallTrace& trace, std::size_t a, std::size_t b) {
  trace.before[2 * a + 1] |= first_end(b);
  close_order(trace);
}

Judge judge_of(const std::string& spec, const std::string& condition) {
  return {queue_case(), spec::make(spec), check::parse_condition(condition)};
}

TEST(Judge, FindsTheOneOrderOfTimeThatNothingExplains) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  // Nobody sees anybody: deq may have returned before, or come after.
  const CallTrace trace = trace_of({{1, kEnq1}, {2, kDeq, Value()}});
  const Judgement& judgement = judge.judge(trace, budget);
  EXPECT_EQ(judgement.answer, Answer::kViolated);
  EXPECT_THAT(judgement.ends, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(judge.histories(), 2u);
  EXPECT_EQ(judge.violated_histories(), 1u);
}

TEST(Judge, TakesOverlapForWhatItIs) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  CallTrace trace = trace_of({{1, kEnq1}, {2, kDeq, Value()}});
  let_see(trace, 0, 1);  // deq began before enq returned
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  EXPECT_EQ(judge.histories(), 1u);
}

TEST(Judge, JudgesWhatIsAlikeOnce) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  CallTrace trace = trace_of({{1, kEnq1}, {2, kEnq2}, {3, kDeq, number(2)}});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated);
    EXPECT_EQ(judge.histories(), 6u);
    EXPECT_EQ(judge.violated_histories(), 4u)
        << "enq(2) must be first for deq to give 2, and deq not before it";
  }
  EXPECT_EQ(judge.judged(), 3u);
  // Fewer realizations, all of them seen before.
  trace.before[2 * 1] |= last_end(2);
  close_order(trace);
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated);
  EXPECT_EQ(judge.histories(), 6u);
}

TEST(Judge, DoesNotCompareWhatTheSpecificationHasNoResultFor) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  for (const Value result : {Value(), Value::boolean(true), number(7)}) {
    EXPECT_EQ(judge.judge(trace_of({{1, kEnq1, result}}), budget).answer,
              Answer::kHolds);
  }
  EXPECT_EQ(judge.histories(), 1u);
}

TEST(Judge, CallsBeforeAndAfterTheThreadsBelongToTheHistory) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  CallTrace trace = trace_of({{1, kDeq, number(1)}});
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated);
  trace.first = {{kEnq1, false, Value()}, {kEnq2, false, Value()}};
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  trace.after = {{kDeq, false, number(2)}, {kDeq, false, Value()}};
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  trace.after = {{kDeq, false, Value()}};
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated);
}

TEST(Judge, APendingCallMayHaveHappened) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  CallTrace trace = trace_of({{1, kEnq1, std::nullopt}, {2, kDeq, number(1)}});
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated)
      << "deq can have returned before enq began";
  let_see(trace, 1, 0);
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  trace.result[1] = Value();
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  // It may even take effect after the threads.
  trace.after = {{kDeq, false, number(1)}};
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  trace.after = {{kDeq, false, number(2)}};
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated);
}

TEST(Judge, APendingCallMayHappenBetweenTheCallsAfterTheThreads) {
  for (const std::uint64_t realizations : {0u, 100u}) {
    Judge judge = judge_of("queue", "linearizable");
    judge.set_limits({.realizations = realizations});
    Budget budget;
    CallTrace trace = trace_of({{1, kEnq1, std::nullopt}});
    trace.after = {{kDeq, false, Value()}, {kDeq, false, number(1)}};
    EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
    trace.after.push_back({kDeq, false, number(1)});
    EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated);
  }
}

// Words that say who made which call look like results here.
TEST(Judge, DoesNotTakeOneTraceForAnother) {
  const Value looks_like_call_1_of_thread_2 = number(0x20001 >> 2);
  ASSERT_EQ(looks_like_call_1_of_thread_2.word(), 0x20001u);
  const spec::Call deq{1, Value()};
  Judge judge({deq, deq}, spec::make("queue"), {});
  Budget budget;
  CallTrace trace =
      trace_of({{1, 0, std::nullopt}, {2, 1, looks_like_call_1_of_thread_2}});
  let_see(trace, 1, 0);
  judge.judge(trace, budget);
  trace =
      trace_of({{1, 0, looks_like_call_1_of_thread_2}, {2, 1, std::nullopt}});
  let_see(trace, 0, 1);
  judge.judge(trace, budget);
  EXPECT_EQ(judge.histories(), 2u);
}

TEST(Judge, WithOnlyProgramOrderTimeDoesNotMatter) {
  Judge judge = judge_of("queue", "sequential");
  Budget budget;
  const CallTrace trace = trace_of({{1, kEnq1}, {2, kDeq, Value()}});
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
  EXPECT_EQ(judge.histories(), 1u);
}

TEST(Judge, QuiescentConsistencyAsksAboutQuietMomentsOnly) {
  Judge judge = judge_of("queue", "quiescent");
  Budget budget;
  CallTrace trace =
      trace_of({{1, kEnq1}, {1, kEnq2}, {1, kDeq, number(2)}, {2, kDeq}});
  trace.result[3] = number(1);
  let_see(trace, 0, 3);
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kViolated)
      << "a quiet moment after enq(1)";
  let_see(trace, 3, 2);
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds)
      << "thread 2 is busy all the time";
}

TEST(Judge, ProgramOrderMayBeAskedForBesides) {
  CallTrace trace =
      trace_of({{1, kEnq1}, {1, kDeq, Value()}, {2, kEnq2, Value()}});
  let_see(trace, 0, 2);
  let_see(trace, 2, 1);
  for (const std::uint64_t realizations : {0u, 100u}) {
    Judge quiescent = judge_of("queue", "quiescent");
    Judge both = judge_of("queue", "quiescent+sequential");
    quiescent.set_limits({.realizations = realizations});
    both.set_limits({.realizations = realizations});
    Budget budget;
    EXPECT_EQ(quiescent.judge(trace, budget).answer, Answer::kHolds);
    EXPECT_EQ(both.judge(trace, budget).answer, Answer::kViolated);
  }
}

TEST(Judge, WhatFollowsTheLastQuietMomentIsNotJudged) {
  Judge judge = judge_of("queue", "quiescent");
  Budget budget;
  const CallTrace trace =
      trace_of({{1, kEnq1}, {2, kDeq, number(1)}, {3, kDeq, std::nullopt}});
  EXPECT_EQ(judge.judge_history(trace, {0, 1, 4, 2, 3}, budget).answer,
            Answer::kHolds)
      << "enq(1) alone is";
  EXPECT_EQ(judge.judge_history(trace, {2, 3, 4, 0, 1}, budget).answer,
            Answer::kViolated)
      << "the deq that found something alone is";
}

TEST(Judge, AllowsWhatFactorsAllow) {
  Judge strict = judge_of("queue", "quasi(deq=0)");
  Judge relaxed = judge_of("queue", "quasi(deq=1)");
  Budget budget;
  CallTrace trace = trace_of({{1, kDeq, number(2)}, {1, kDeq, number(1)}});
  trace.first = {{kEnq1, false, Value()}, {kEnq2, false, Value()}};
  EXPECT_EQ(strict.judge(trace, budget).answer, Answer::kViolated);
  EXPECT_EQ(relaxed.judge(trace, budget).answer, Answer::kHolds);
}

TEST(Judge, JudgesAHistoryAsItHappened) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  const CallTrace trace = trace_of({{1, kEnq1}, {2, kDeq, Value()}});
  EXPECT_EQ(judge.judge_history(trace, {2, 3, 0, 1}, budget).answer,
            Answer::kHolds);
  const Judgement& judgement = judge.judge_history(trace, {0, 1, 2, 3}, budget);
  EXPECT_EQ(judgement.answer, Answer::kViolated);
  EXPECT_THAT(judgement.ends, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(judge.judge_history(trace, {0, 2, 3, 1}, budget).answer,
            Answer::kHolds);
  EXPECT_EQ(judge.histories(), 3u);
  EXPECT_EQ(judge.violated_histories(), 1u);
}

TEST(Judge, JudgesAHistoryWithoutThreads) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  CallTrace trace = trace_of({{1, kDeq, Value()}});
  EXPECT_EQ(judge.judge_history(trace, {0, 1}, budget).answer, Answer::kHolds);
  trace = trace_of({});
  trace.first = {{kEnq1, false, Value()}, {kDeq, false, number(2)}};
  EXPECT_EQ(judge.judge_history(trace, {}, budget).answer, Answer::kViolated);
  trace.first = {{kEnq1, false, Value()}, {kDeq, false, number(1)}};
  EXPECT_EQ(judge.judge_history(trace, {}, budget).answer, Answer::kHolds);
}

TEST(Judge, TellsAHistoryThatIsViolatedByItself) {
  Judge judge = judge_of("queue", "linearizable");
  Budget budget;
  CallTrace trace = trace_of(
      {{1, kEnq1}, {1, kDeq, number(2)}, {2, kEnq2}, {2, kDeq, std::nullopt}});
  let_see(trace, 1, 2);
  trace.first = {{kEnq2, false, Value()}};
  trace.result[1] = number(1);
  const Judgement& judgement = judge.judge(trace, budget);
  ASSERT_EQ(judgement.answer, Answer::kViolated);
  const auto history = judge.history_of(trace, judgement.ends);
  ASSERT_THAT(history.operations, SizeIs(5));
  EXPECT_FALSE(oracle::holds(history, judge.object(), judge.condition()));
  EXPECT_EQ(history.processes[history.operations[0].process],
            Value::text("main"));
  EXPECT_EQ(history.processes[history.operations[1].process],
            Value::text("T1"));
  EXPECT_TRUE(history.operations.back().pending());
}

// Four threads with four calls each that do not meet.
CallTrace wide_trace(std::uint16_t call, Value result) {
  std::vector<Made> calls;
  for (int i = 0; i < 16; ++i) calls.push_back({1 + i / 4, call, result});
  return trace_of(calls);
}

TEST(Judge, DecidesAtOnceWhatHasTooManyHistories) {
  for (const std::string order : {"", "quiescent+", "quiescent+sequential+"}) {
    for (const std::string base : {"linearizable", "quasi(deq=2)"}) {
      if (base == "linearizable" && !order.empty()) continue;
      Judge judge = judge_of("queue", order + base);
      Budget budget;
      CallTrace trace = wide_trace(kDeq, number(1));
      trace.first.assign(16, {kEnq1, false, Value()});
      EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds);
      EXPECT_FALSE(judge.counted_all());
      trace.first.assign(15, {kEnq1, false, Value()});
      const Judgement& judgement = judge.judge(trace, budget);
      EXPECT_EQ(judgement.answer, Answer::kViolated);
      EXPECT_THAT(judgement.ends, SizeIs(32));
    }
  }
}

TEST(Judge, SaysSoWhereItCannotDecideAtOnce) {
  check::Condition literal = check::parse_condition("quasi(deq=1)");
  literal.reading = check::Reading::kLiteral;
  Judge judge(queue_case(), spec::make("queue"), literal);
  judge.set_limits({.realizations = 3});
  Budget budget;
  const Judgement& judgement = judge.judge(
      trace_of({{1, kDeq, Value()}, {2, kDeq, Value()}, {3, kDeq, Value()}}),
      budget);
  EXPECT_EQ(judgement.answer, Answer::kUnknown);
  EXPECT_THAT(judgement.reason, HasSubstr("more than 3 histories"));
}

TEST(Judge, ASpentBudgetIsNotAnAnswer) {
  Judge judge = judge_of("queue", "linearizable");
  Budget spent(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
  CallTrace trace = wide_trace(kDeq, Value());
  const Judgement& judgement = judge.judge(trace, spent);
  EXPECT_EQ(judgement.answer, Answer::kUnknown);
  EXPECT_THAT(judgement.reason, HasSubstr("time limit"));
  Budget budget;
  EXPECT_EQ(judge.judge(trace, budget).answer, Answer::kHolds)
      << "it is not remembered";
}

TEST(Judge, ABudgetThatIsSpentBetweenHistoriesIsNotAnAnswer) {
  Judge judge = judge_of("queue", "linearizable");
  Budget spent(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
  const CallTrace trace = trace_of({{1, kDeq, Value()}, {2, kEnq1}});
  EXPECT_EQ(judge.judge(trace, spent).answer, Answer::kUnknown);
}

TEST(Judge, CountsOnThoughItForgets) {
  Judge judge = judge_of("queue", "linearizable");
  judge.set_limits({.bytes = 0});
  Budget budget;
  const CallTrace trace =
      trace_of({{1, kEnq1}, {2, kEnq2}, {3, kDeq, number(2)}});
  for (int round = 0; round < 3; ++round) {
    const Judgement& judgement = judge.judge(trace, budget);
    EXPECT_EQ(judgement.answer, Answer::kViolated);
    EXPECT_THAT(judgement.ends, SizeIs(6));
  }
  EXPECT_EQ(judge.histories(), 6u);
  EXPECT_EQ(judge.violated_histories(), 4u);
}

std::string error_of(test::Case test, const std::string& spec) {
  try {
    Judge(test, spec::make(spec), {});
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

TEST(Judge, NamesAnOperationThatTheSpecificationHasNot) {
  test::Case test = queue_case();
  test.file = "queue.cpp";
  test.line = 7;
  test.operations[1].name = "dequ";
  EXPECT_EQ(error_of(std::move(test), "queue"),
            "queue.cpp:7:1: error: the specification 'queue' has no operation "
            "'dequ'\n"
            "hint: did you mean 'deq'?  Its operations: enq, deq\n");
  EXPECT_THAT(error_of(queue_case(), "stack"),
              HasSubstr("hint: its operations: push, pop\n"));
}

TEST(Judge, NamesACallWithoutTheArgumentThatItMustHave) {
  test::Case test = queue_case();
  test.calls[kEnq2].argument.reset();
  EXPECT_THAT(error_of(std::move(test), "queue"),
              HasSubstr("'enq' of the specification 'queue' takes a value that "
                        "is not null: null is what a take gives when it finds "
                        "nothing, but there is a call enq()"));
}

TEST(Judge, DoesNotMindADefaultCallThatNobodyMakes) {
  test::Case test = queue_case();
  test.calls.emplace_back();
  test.calls.back().generated = test.calls.back().by_default = true;
  EXPECT_EQ(error_of(std::move(test), "queue"), "");
  test = queue_case();
  test.generate = {2, 2};
  test.calls.emplace_back();
  test.calls.back().generated = test.calls.back().by_default = true;
  EXPECT_THAT(error_of(std::move(test), "queue"), HasSubstr("a call enq()"));
}

TEST(Judge, NamesAResultOfTheWrongKind) {
  test::Case test;
  test.name = "my_set";
  test.settings.spec = "set";
  test.operations.resize(1);
  test.operations[0].name = "contains";
  test.calls.resize(1);
  test.calls[0].argument = number(1);
  Judge judge(test, spec::make("set"), {});
  Budget budget;
  EXPECT_EQ(
      judge.judge(trace_of({{1, 0, Value::boolean(false)}}), budget).answer,
      Answer::kHolds);
  try {
    judge.judge(trace_of({{1, 0, number(1)}}), budget);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.describe(),
              "test 'my_set': error: 'contains' must return true or false, but "
              "it gave 1\n"
              "hint: let a lambda turn what it returns into a bool\n");
  }
}

}  // namespace
}  // namespace plumb::harness
