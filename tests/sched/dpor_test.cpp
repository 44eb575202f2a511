// SPDX-License-Identifier: Apache-2.0
#include "sched/dpor.h"

#include <gtest/gtest.h>

#include "support/toy_machine.h"

namespace plumb::sched {
namespace {

using test_support::run_toy;
using test_support::ToyProgram;
using test_support::ToyResults;
using test_support::ToyRun;
using Do = test_support::ToyStep::Do;

struct Explored : ToyResults {
  std::uint64_t complete = 0;  // and stuck: those that have a trace
  std::uint64_t abandoned = 0;
};

Explored explore(const ToyProgram& program) {
  Explored explored;
  Dpor search;
  while (search.start_run()) {
    const ToyRun run = run_toy(program, search);
    EXPECT_FALSE(search.diverged());
    if (run.end == RunEnd::kAbandoned) {
      ++explored.abandoned;
      continue;
    }
    ++explored.complete;
    explored.outcomes.insert(run.outcome);
    explored.traces.insert(run.trace);
    if (explored.complete > 1'000'000) break;
  }
  return explored;
}

TEST(Dpor, TwoWritesToDifferentVariablesNeedOneExecution) {
  const ToyProgram program = {{{Do::kStore, 0, 1}}, {{Do::kStore, 1, 1}}};
  EXPECT_EQ(explore(program).complete, 1u);
}

TEST(Dpor, TwoWritesToOneVariableNeedTwo) {
  const ToyProgram program = {{{Do::kStore, 0, 1}}, {{Do::kStore, 0, 2}}};
  EXPECT_EQ(explore(program).complete, 2u);
}

TEST(Dpor, ReadersNeedAnExecutionForEachPlaceOfTheWrite) {
  const ToyProgram program = {
      {{Do::kStore, 0, 1}}, {{Do::kLoad, 0, 0}}, {{Do::kLoad, 0, 0}}};
  EXPECT_EQ(explore(program).complete, 4u);
}

TEST(Dpor, GuessesHowMuchIsLeft) {
  const ToyProgram program = {
      {{Do::kStore, 0, 1}, {Do::kLoad, 1, 0}, {Do::kStore, 0, 2}},
      {{Do::kStore, 1, 1}, {Do::kLoad, 0, 0}, {Do::kStore, 1, 2}}};
  Dpor search;
  double last = 0;
  for (bool first = true; search.start_run(); first = false) {
    last = search.share_done();
    if (first) {
      EXPECT_EQ(last, 0);
    }
    EXPECT_LT(last, 1);
    run_toy(program, search);
  }
  EXPECT_GT(last, 0.4);
}

TEST(Dpor, FindsADeadlockOfTwoLocksInBothOrders) {
  const ToyProgram program = {{{Do::kLock, 4, 0},
                               {Do::kLock, 5, 0},
                               {Do::kUnlock, 5, 0},
                               {Do::kUnlock, 4, 0}},
                              {{Do::kLock, 5, 0},
                               {Do::kLock, 4, 0},
                               {Do::kUnlock, 4, 0},
                               {Do::kUnlock, 5, 0}}};
  const Explored explored = explore(program);
  EXPECT_EQ(explored.outcomes, all_runs(program).outcomes);
  EXPECT_EQ(explored.complete, 3u);
}

TEST(Dpor, TriesEveryOutcomeOfAChoice) {
  const ToyProgram program = {{{Do::kChoose, 0, 3}}, {{Do::kChoose, 0, 2}}};
  EXPECT_EQ(explore(program).complete, 6u);
}

// What may fail for no reason does and does not, in every order.
TEST(Dpor, TriesWhatFailsForNoReason) {
  const ToyProgram once = {{{Do::kWeakCas, 0, 1}}, {{Do::kLoad, 0, 0}}};
  EXPECT_EQ(explore(once).traces.size(), 3u);
  std::mt19937 random(11);
  std::uint64_t traces = 0, explored_runs = 0;
  for (int round = 0; round < 600; ++round) {
    const int threads = 2 + static_cast<int>(random() % 2);
    ToyProgram program =
        test_support::random_toy(random, threads, threads == 2 ? 4 : 3);
    for (auto& thread : program) {
      for (auto& step : thread) {
        if (step.what == Do::kCas) step.what = Do::kWeakCas;
      }
    }
    const ToyResults all = all_runs(program);
    const Explored explored = explore(program);
    SCOPED_TRACE(to_string(program));
    ASSERT_TRUE(explored.outcomes == all.outcomes) << "round " << round;
    ASSERT_TRUE(explored.traces == all.traces) << "round " << round;
    traces += all.traces.size();
    explored_runs += explored.complete;
  }
  // A read is sometimes explored on both sides of a failure.
  EXPECT_LE(explored_runs, traces + traces / 2);
}

// Every trace once: as many complete executions as there are traces, and the
// same outcomes as without any reduction.
TEST(Dpor, ExploresEveryTraceOfARandomProgramOnce) {
  std::mt19937 random(6);
  std::uint64_t traces = 0, abandoned = 0;
  for (int round = 0; round < 1500; ++round) {
    const int threads = 2 + static_cast<int>(random() % 2);
    const ToyProgram program =
        test_support::random_toy(random, threads, threads == 2 ? 5 : 3);
    const ToyResults all = all_runs(program);
    const Explored explored = explore(program);
    SCOPED_TRACE(to_string(program));
    ASSERT_TRUE(explored.outcomes == all.outcomes) << "round " << round;
    ASSERT_TRUE(explored.traces == all.traces) << "round " << round;
    ASSERT_EQ(explored.complete, all.traces.size()) << "round " << round;
    traces += explored.complete;
    abandoned += explored.abandoned;
  }
  RecordProperty("traces", static_cast<int>(traces));
  RecordProperty("abandoned", static_cast<int>(abandoned));
}

}  // namespace
}  // namespace plumb::sched
