// SPDX-License-Identifier: Apache-2.0
#include "verify/learner.h"

#include <gtest/gtest.h>

#include "verify/candidates.h"
#include "verify/pair_search.h"
#include "verify/point_moves.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using testing::act;
using testing::Act;
using testing::number;
using testing::ObjectProgram;
using testing::ObjectSystem;
using testing::program_of;
using testing::Step;
using End = Learner::End;
using Whose = Effect::Whose;

constexpr std::uint16_t kEnq = 0, kDeq = 1, kPush = 0, kPop = 1;

struct Learning {
  explicit Learning(ObjectProgram program)
      : system(std::move(program)),
        graph(*system.program().object, {}),
        learner(graph, *system.program().object, budget) {}

  End learn(const Learner::Limits& limits = {}) {
    return learner.learn(system, system, limits);
  }
  // The effects at a step of an operation, on its main branch.
  std::vector<Effect> at(std::uint32_t operation, std::uint32_t step) const {
    const auto found =
        learner.policy().effects.find((operation * 32 + step) * 2);
    return found == learner.policy().effects.end() ? std::vector<Effect>()
                                                   : found->second;
  }

  ObjectSystem system;
  SpecificationGraph graph;
  Budget budget;
  Learner learner;
};

std::vector<spec::Call> queue_calls() {
  return {{kEnq, number(1)}, {kDeq, Value()}};
}

TEST(Learner, FindsThePointOfACasLoop) {
  Learning learning(
      program_of("queue", queue_calls(), testing::cas_loop_steps(), 2, 2));
  EXPECT_EQ(learning.learn(), End::kPassed);
  EXPECT_EQ(learning.learner.policy().effects.size(), 2u);
  EXPECT_EQ(learning.at(kEnq, 2), std::vector<Effect>(1));
  EXPECT_EQ(learning.at(kDeq, 2), std::vector<Effect>(1));
}

TEST(Learner, GoesBackOnAGuessThatFailsLater) {
  // The first write changes nothing if nobody else is under way.
  Learning alone(program_of("queue", queue_calls(),
                            {act(Act::kHelp), act(Act::kEffect)}, 1, 2));
  EXPECT_EQ(alone.learn(), End::kPassed);
  EXPECT_EQ(alone.at(kEnq, 0), std::vector<Effect>(1));
  Learning two(program_of("queue", queue_calls(),
                          {act(Act::kHelp), act(Act::kEffect)}, 2, 2));
  EXPECT_EQ(two.learn(), End::kPassed);
  EXPECT_NE(two.learner.policy(), alone.learner.policy());
}

TEST(Learner, KnowsAReadThatCountsForNothing) {
  // deq reads, and may then return without having taken what it saw.
  ObjectProgram program =
      program_of("queue", queue_calls(), testing::atomic_steps(), 2, 2);
  program.steps[kDeq] = {act(Act::kPeek), Step{.act = Act::kFork, .target = 3},
                         act(Act::kEffect)};
  Learning learning(program);
  EXPECT_EQ(learning.learn(), End::kViolated);
}

TEST(Learner, FindsHelpers) {
  // A pop that is under way gets its value from a push, just before that puts
  // something else on top; when it goes on itself, this would be the value.
  ObjectProgram program =
      program_of("stack", {{kPush, number(1)}, {kPush, number(2)}, {kPop, {}}},
                 {act(Act::kHelp), act(Act::kEffect)}, 2, 2);
  program.steps[kPop] = {act(Act::kSkip), act(Act::kEffect)};
  Learning learning(program);
  EXPECT_EQ(learning.learn(), End::kPassed);
  bool helped = false;
  for (const auto& [edge, effects] : learning.learner.policy().effects) {
    for (const Effect& effect : effects) helped |= effect.whose != Whose::kOwn;
  }
  EXPECT_TRUE(helped);
}

TEST(Learner, LearnsFromARunOnce) {
  Learning learning(
      program_of("queue", queue_calls(), testing::cas_loop_steps(), 2, 2));
  const Policy none;
  PointMoves moves(learning.learner.configurations(2), none);
  PairSearch search(learning.system, moves, {}, learning.budget);
  ASSERT_EQ(search.run(), Search::End::kEmpty);
  EXPECT_TRUE(learning.learner.learn_from(learning.system, search.path()));
  const Policy policy = learning.learner.policy();
  EXPECT_FALSE(learning.learner.learn_from(learning.system, search.path()));
  EXPECT_EQ(learning.learner.policy(), policy);
}

TEST(Learner, TriesMarksFirst) {
  Learning learning(program_of(
      "queue", queue_calls(),
      {act(Act::kSkip), act(Act::kEffect, true), act(Act::kSkip)}, 2, 2));
  EXPECT_EQ(learning.learn(), End::kPassed);
  EXPECT_TRUE(learning.learner.policy().marks);
  EXPECT_TRUE(learning.learner.policy().effects.empty());
}

TEST(Learner, GivesUpMarksThatAreWrong) {
  Learning learning(program_of(
      "queue", queue_calls(),
      {act(Act::kSkip, true), act(Act::kEffect), act(Act::kSkip)}, 2, 2));
  EXPECT_EQ(learning.learn(), End::kPassed);
  EXPECT_FALSE(learning.learner.policy().marks);
  EXPECT_EQ(learning.at(kEnq, 1), std::vector<Effect>(1));
}

TEST(Learner, KnowsAWrongSystem) {
  Learning learning(
      program_of("queue", queue_calls(),
                 {act(Act::kLoad), act(Act::kApply), act(Act::kStore)}, 2, 2));
  EXPECT_EQ(learning.learn(), End::kViolated);
  Learning faulty(program_of("queue", queue_calls(), {act(Act::kFault)}));
  EXPECT_EQ(faulty.learn(), End::kViolated);
}

TEST(Learner, KeepsToItsLimits) {
  Learning learning(
      program_of("queue", queue_calls(), testing::cas_loop_steps(), 2, 2));
  EXPECT_EQ(learning.learn({.transitions = 1}), End::kNone);
  EXPECT_EQ(learning.learn({.searches = 1}), End::kNone);
  EXPECT_EQ(learning.learn(), End::kPassed) << "it goes on where it was";
}

class Candidates : public ::testing::Test {
 protected:
  // Of enq: load 0, skip 2, cas 4, invocation 60, return 62; of deq 64 more.
  Candidates()
      : system_(program_of("queue", queue_calls(),
                           {act(Act::kLoad), act(Act::kSkip), act(Act::kCas)})),
        graph_(*system_.program().object, {}) {}

  const ObjectSystem system_;
  const SpecificationGraph graph_;
  const std::vector<verify::Run> runs_ = {
      {2,
       {testing::invoke(0, kEnq, number(1), 60),
        testing::invoke(1, kDeq, {}, 124), testing::internal(0, 0),
        testing::internal(0, 2), testing::internal(1, 68),
        testing::internal(0, 4), testing::returns(0, kEnq, {}, 62)}}};
};

TEST_F(Candidates, ComeWithTheLikelyOnesLast) {
  const auto list = candidates_of(system_, graph_, runs_, false);
  std::vector<std::uint32_t> edges;
  for (const Candidate& each : list) {
    edges.push_back(each.edge);
    EXPECT_TRUE(each.effect.may);
    EXPECT_EQ(each.effect.only.has_value(), each.edge < 64)
        << "what the deq returns is not known";
  }
  EXPECT_EQ(edges, (std::vector<std::uint32_t>{60, 124, 62, 0, 2, 68, 4}));
}

TEST_F(Candidates, IncludeWritesOfOthersIfAsked) {
  const auto list = candidates_of(system_, graph_, runs_, true);
  ASSERT_EQ(list.size(), 11u);
  EXPECT_EQ(list[0].rank, Candidate::Rank::kHelped);
  EXPECT_EQ(list[0].edge, 4u);
  EXPECT_EQ(list[0].effect.operation, kDeq);
  EXPECT_EQ(list[3].edge, 68u);
  EXPECT_EQ(list[3].effect.operation, kEnq);
  EXPECT_EQ(list[0].effect.whose, Whose::kOthersBefore);
  EXPECT_EQ(list[1].effect.whose, Whose::kOthersAfter);
}

TEST_F(Candidates, KnowWhatCallsThatPassAStepReturn) {
  const Value null;
  const std::vector<Value> one = {number(1)}, none = {null};
  EXPECT_TRUE(all_return(runs_, graph_, 4, none));
  EXPECT_FALSE(all_return(runs_, graph_, 4, one));
  EXPECT_TRUE(all_return(runs_, graph_, 68, one)) << "it has not returned";
}

}  // namespace
}  // namespace plumb::verify
