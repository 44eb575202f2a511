// SPDX-License-Identifier: Apache-2.0
// check_linearizable() as a whole: answers, reasons, evidence, statistics.
#include <gtest/gtest.h>

#include <chrono>

#include "support/table_system.h"
#include "verify/counterexample.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using check::Answer;
using testing::act;
using testing::Act;
using testing::check;
using testing::number;
using testing::ObjectProgram;
using testing::ObjectSystem;
using testing::program_of;
using testing::question_of;
using testing::TableSystem;
using Method = Options::Method;

constexpr std::uint16_t kEnq = 0, kDeq = 1;

ObjectProgram queue_program(const std::vector<testing::Step>& steps,
                            std::size_t processes = 2,
                            std::size_t calls_each = 2) {
  return program_of("queue", {{kEnq, number(1)}, {kDeq, Value()}}, steps,
                    processes, calls_each);
}

std::vector<testing::Step> lost_update() {
  return {act(Act::kLoad), act(Act::kApply), act(Act::kStore)};
}

TEST(Linearizable, APassingObjectComesWithItsPoints) {
  const ObjectSystem system(queue_program(testing::cas_loop_steps(), 3, 1));
  const Outcome outcome = check(question_of(system));
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.method, "linearization points");
  ASSERT_EQ(outcome.points.size(), 2u);
  EXPECT_EQ(outcome.points[0].operation, kEnq);
  EXPECT_EQ(outcome.points[0].edge.statement, "cas");
  EXPECT_EQ(outcome.points[0].only_if, "");
  EXPECT_EQ(outcome.points[1].operation, kDeq);
  EXPECT_EQ(outcome.statistics.pairs, outcome.statistics.states)
      << "certain points of a deterministic object: one set for each state";
  EXPECT_FALSE(outcome.path);
}

TEST(Linearizable, AllMethodsAgreeOnStatesAndTransitions) {
  const ObjectSystem system(queue_program(testing::cas_loop_steps(), 2, 2));
  const Outcome points = check(question_of(system));
  const Outcome exact = check(question_of(system), Method::kExact);
  EXPECT_EQ(exact.answer, Answer::kHolds);
  EXPECT_EQ(exact.statistics.method, "antichain");
  EXPECT_EQ(exact.statistics.states, points.statistics.states);
  EXPECT_EQ(exact.statistics.transitions, points.statistics.transitions);
  EXPECT_GT(exact.statistics.pairs, exact.statistics.states);
  EXPECT_TRUE(exact.points.empty());
}

TEST(Linearizable, AViolationIsAShortRunWithARefutedHistory) {
  const ObjectSystem system(queue_program(lost_update()));
  for (const Method method : {Method::kAuto, Method::kExact}) {
    const Outcome outcome = check(question_of(system), method);
    ASSERT_EQ(outcome.answer, Answer::kViolated);
    EXPECT_EQ(outcome.reason, "no order of the calls explains them");
    ASSERT_TRUE(outcome.path && outcome.history);
    EXPECT_TRUE(is_run_of(*outcome.path, system));
    Budget budget;
    EXPECT_EQ(judge(*outcome.history, *system.program().object, budget),
              Answer::kViolated);
    EXPECT_EQ(outcome.path->size(), 15u);
    EXPECT_LE(switches(*outcome.path), 3u);
  }
}

TEST(Linearizable, DepthFirstGivesTheSameAnswers) {
  Options options;
  options.order = Options::Order::kDepthFirst;
  const ObjectSystem wrong(queue_program(lost_update()));
  const ObjectSystem right(queue_program(testing::cas_loop_steps()));
  for (const Method method : {Method::kAuto, Method::kExact}) {
    options.method = method;
    const Outcome outcome = check(question_of(wrong), options);
    ASSERT_EQ(outcome.answer, Answer::kViolated);
    EXPECT_GE(outcome.path->size(), 15u);
    EXPECT_EQ(check(question_of(right), options).answer, Answer::kHolds);
  }
}

TEST(Linearizable, AFaultIsAViolation) {
  ObjectProgram program = queue_program(testing::atomic_steps());
  program.steps[kDeq] = {act(Act::kEffect), act(Act::kFault)};
  const ObjectSystem system(program);
  for (const Method method :
       {Method::kAuto, Method::kExact, Method::kMarks, Method::kPoints}) {
    if (method == Method::kMarks) continue;
    const Outcome outcome = check(question_of(system), method);
    EXPECT_EQ(outcome.answer, Answer::kViolated);
    EXPECT_EQ(outcome.reason, "spoilt");
    ASSERT_TRUE(outcome.path);
    EXPECT_EQ(outcome.path->size(), 3u);
    EXPECT_FALSE(outcome.history) << "the calls are all right";
  }
}

TEST(Linearizable, WithoutPointsTheExactSearchDecides) {
  // An enqueue that takes effect at one of two steps, which one shows only
  // later (a guess): no step is the point, whatever the past.
  ObjectProgram program = queue_program(testing::atomic_steps());
  program.steps[kDeq] = {act(Act::kPeek),
                         testing::Step{.act = Act::kFork, .target = 3},
                         act(Act::kEffect)};
  program.calls = {{kDeq, Value()}};
  const ObjectSystem system(program);
  const Outcome automatic = check(question_of(system));
  EXPECT_EQ(automatic.answer, Answer::kHolds) << "it is always empty";
  const Outcome exact = check(question_of(system), Method::kExact);
  EXPECT_EQ(exact.answer, Answer::kHolds);
}

TEST(Linearizable, MarksAloneCanProve) {
  const ObjectSystem system(
      queue_program({act(Act::kSkip), act(Act::kEffect, true)}));
  for (const Method method : {Method::kMarks, Method::kAuto}) {
    const Outcome outcome = check(question_of(system), method);
    EXPECT_EQ(outcome.answer, Answer::kHolds);
    EXPECT_EQ(outcome.statistics.method, "marks");
    ASSERT_EQ(outcome.points.size(), 2u);
    EXPECT_EQ(outcome.points[0].edge.line, 2u);
  }
}

TEST(Linearizable, WrongMarksAreSaidToBePerhapsWrong) {
  const ObjectSystem system(
      queue_program({act(Act::kSkip, true), act(Act::kEffect)}));
  const Outcome outcome = check(question_of(system), Method::kMarks);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.hint.substr(0, 22), "the marks may be wrong");
  EXPECT_FALSE(outcome.history);
  ASSERT_TRUE(outcome.path);
  EXPECT_TRUE(is_run_of(*outcome.path, system));
  EXPECT_EQ(check(question_of(system)).answer, Answer::kHolds);
}

TEST(Linearizable, MarksThatAreMissingAreNamed) {
  const ObjectSystem system(queue_program(testing::atomic_steps()));
  const Outcome outcome = check(question_of(system), Method::kMarks);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason,
            "'enq' of process 0 returns, but has not taken effect at a mark");
}

TEST(Linearizable, AWrongObjectWithMarksHasARefutedHistory) {
  auto steps = lost_update();
  steps[2].marked = true;
  const ObjectSystem system(queue_program(steps));
  const Outcome outcome = check(question_of(system), Method::kMarks);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  ASSERT_TRUE(outcome.path);
  if (outcome.history) {
    EXPECT_EQ(outcome.hint, "");
  } else {
    EXPECT_NE(outcome.hint, "");
  }
}

TEST(Linearizable, PointsThatAreNotFoundAreUnknown) {
  ObjectProgram program = queue_program(lost_update(), 2, 1);
  program.calls = {{kEnq, number(1)}};
  const ObjectSystem system(program);
  const Outcome outcome = check(question_of(system), Method::kPoints);
  EXPECT_EQ(outcome.answer, Answer::kHolds) << "nobody takes anything out";
}

class OneCall : public ::testing::Test {
 protected:
  OneCall() {
    system_.invoke(0, 0, kDeq, {}, 1);
    system_.internal(1, 0, 2, 7, kDeq);
    system_.returns(2, 0, kDeq, {}, 0);
  }
  Outcome outcome(Options options = {}) {
    const verify::Question question{system_, object_.get(), {}, {}};
    return check(question, options);
  }

  const spec::SpecificationPtr object_ = spec::make("queue");
  TableSystem system_{1, {"enq", "deq"}};
};

TEST_F(OneCall, HoldsWithinABoundOfTheUsers) {
  system_.add_bound({"4 cells", true, ""});
  system_.cut(2, 0);
  const Outcome met = outcome();
  EXPECT_EQ(met.answer, Answer::kHolds);
  EXPECT_EQ(met.bounds_met, std::vector<std::string>{"4 cells"});
}

TEST(Linearizable, ASpecificationThatGrowsWithoutEndIsNamed) {
  TableSystem system(1, {"enq", "deq"});
  for (const std::int64_t value : {1, 2}) {
    const auto busy = static_cast<std::size_t>(value);
    system.invoke(0, 0, kEnq, Value::integer(value), busy);
    system.returns(busy, 0, kEnq, Value(), 0);
  }
  const auto queue = spec::make("queue");
  const Question question{
      .system = system, .specification = queue.get(), .codes = {}};
  Options options;
  options.method = Method::kExact;
  Budget budget = Budget().with_steps(60'000);
  const Outcome outcome = check_linearizable(question, options, budget);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_NE(outcome.hint.find("without a bound"), std::string::npos)
      << outcome.hint;
}

TEST_F(OneCall, IsUnknownWhereABoundOfOursCuts) {
  system_.add_bound({"4 cells", true, ""});
  system_.add_bound({"8 items in 'q'", false, "write seq<int, 9>"});
  system_.cut(1, 1);
  system_.cut(2, 0);
  for (const Method method : {Method::kAuto, Method::kExact}) {
    Options options;
    options.method = method;
    const Outcome met = outcome(options);
    EXPECT_EQ(met.answer, Answer::kUnknown);
    EXPECT_EQ(met.reason, "the bound of 8 items in 'q' was reached");
    EXPECT_EQ(met.hint, "write seq<int, 9>");
    EXPECT_EQ(met.bounds_met.size(), 2u);
  }
}

TEST_F(OneCall, IsViolatedWhateverBoundsCut) {
  system_.add_bound({"8 items in 'q'", false, ""});
  system_.cut(1, 0);
  system_.returns(2, 0, kDeq, number(1), 0);
  EXPECT_EQ(outcome().answer, Answer::kViolated);
}

TEST_F(OneCall, IsUnknownAtALimit) {
  Options options;
  options.state_limit = 2;
  for (const Method method : {Method::kAuto, Method::kExact, Method::kMarks}) {
    options.method = method;
    const Outcome limited = outcome(options);
    EXPECT_EQ(limited.answer, Answer::kUnknown);
    EXPECT_EQ(limited.reason,
              "the limit of 2 states was reached after 2 states");
    EXPECT_EQ(limited.statistics.states, 2u);
  }
}

TEST_F(OneCall, IsUnknownWhenTheTimeIsOver) {
  Budget budget(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
  const verify::Question question{system_, object_.get(), {}, {}};
  const Outcome late = check_linearizable(question, {}, budget);
  EXPECT_EQ(late.answer, Answer::kUnknown);
  EXPECT_NE(late.reason.find("time limit"), std::string::npos);
  EXPECT_NE(late.reason.find("after 1 state"), std::string::npos);
}

TEST_F(OneCall, HasPointsWithoutASmallerModel) {
  const Outcome found = outcome();
  EXPECT_EQ(found.answer, Answer::kHolds);
  EXPECT_EQ(found.statistics.method, "linearization points");
  ASSERT_EQ(found.points.size(), 1u);
  EXPECT_EQ(found.points[0].edge.statement, "step 7");
}

}  // namespace
}  // namespace plumb::verify
