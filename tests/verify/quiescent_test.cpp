// SPDX-License-Identifier: Apache-2.0
// Quiescent consistency of systems, alone and with program order.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "lts/path.h"
#include "verify/counterexample.h"
#include "verify/journal.h"
#include "verify/order_test_support.h"

namespace plumb::verify {
namespace {

using check::Answer;
using check::Order;
using testing::check;
using testing::deq;
using testing::deqs;
using testing::enq;
using testing::enqs;
using testing::internal;
using testing::Runs;

// As 0 stays pending, 1 may put 3 in before 2.
std::initializer_list<lts::Label> overtaking() {
  static const std::initializer_list<lts::Label> kRun = {
      enq(0, 1), enq(1, 2),  enqs(1),        enq(1, 3), enqs(1),
      deq(1),    deqs(1, 3), internal(0, 4), enqs(0)};
  return kRun;
}

TEST(Quiescent, OperationsOfABusyPeriodMayHaveAnyOrder) {
  Runs runs;
  runs.add(overtaking());
  EXPECT_EQ(check(runs.question()).answer, Answer::kViolated);
  EXPECT_EQ(runs.check(Order::kQuiescent).answer, Answer::kHolds);
  EXPECT_EQ(runs.check(Order::kQuiescentAndProgram).answer, Answer::kViolated)
      << "1 puts 2 in before 3";
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kViolated);
}

TEST(Quiescent, EveryOrderThatIsPossibleIsRemembered) {
  for (const std::int64_t second : {1, 2}) {
    Runs runs;
    const std::size_t quiet = runs.add(overtaking());
    const std::size_t after = runs.add({deq(0), deqs(0, second)}, quiet);
    EXPECT_EQ(runs.check(Order::kQuiescent).answer, Answer::kHolds);
    runs.add({deq(0), deqs(0, second)}, after);
    EXPECT_EQ(runs.check(Order::kQuiescent).answer, Answer::kViolated)
        << second << " was taken out already";
  }
}

TEST(Quiescent, AQuiescentMomentKeepsTheOrder) {
  Runs runs;
  runs.add({enq(0, 1), enqs(0), enq(1, 2), enqs(1), deq(0), deqs(0, 2)});
  for (const Order order : {Order::kQuiescent, Order::kQuiescentAndProgram}) {
    EXPECT_EQ(runs.check(order).answer, Answer::kViolated);
  }
  EXPECT_EQ(runs.check(Order::kProgram).answer, Answer::kHolds);
}

TEST(Quiescent, WhatIsPendingIsNotJudged) {
  Runs runs;
  const std::size_t last = runs.add({enq(0, 1), deq(1), deqs(1, 7)});
  EXPECT_EQ(runs.check(Order::kQuiescent).answer, Answer::kHolds);
  runs.add({enqs(0)}, last);
  EXPECT_EQ(runs.check(Order::kQuiescent).answer, Answer::kViolated);
}

TEST(Quiescent, AnOperationMayBlock) {
  Runs runs(2, "blocking_queue");
  runs.add({deq(0), enq(1, 1), enqs(1), deqs(0, 1), enq(0, 2), enqs(0)});
  EXPECT_EQ(runs.check(Order::kQuiescent).answer, Answer::kHolds);
  runs.add({deq(0), testing::returns(0, testing::kDeq)});
  const Outcome outcome = runs.check(Order::kQuiescent);
  EXPECT_EQ(outcome.answer, Answer::kViolated) << "nothing was there";
  EXPECT_EQ(outcome.path->size(), 2u);
}

TEST(Quiescent, AViolationIsAShortestRunWithARefutedHistory) {
  Runs runs;
  const std::size_t quiet = runs.add(overtaking());
  runs.add({deq(0), deqs(0, 9), deq(0), deqs(0, 9)}, quiet);
  const Outcome outcome = runs.check(Order::kQuiescent);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "no order of the calls explains them");
  ASSERT_TRUE(outcome.path && outcome.history);
  EXPECT_EQ(outcome.path->size(), 11u);
  EXPECT_TRUE(is_run_of(*outcome.path, runs.system));
  EXPECT_EQ(outcome.history->size(), 5u);
  Budget budget;
  EXPECT_EQ(judge(*outcome.history, runs.object(), budget, Order::kQuiescent),
            Answer::kViolated);
  EXPECT_EQ(outcome.statistics.method, "orders of busy periods");
}

// The same state with more and with fewer states of the specification; it
// must not matter which one comes first.
TEST(Quiescent, FewerStatesOfTheSpecificationAreHarder) {
  for (const bool fewer_first : {false, true}) {
    Runs runs;
    const std::size_t many = runs.add({enq(0, 1), enq(1, 2), enqs(1), enqs(0)});
    const std::size_t wait = runs.add({enq(0, 1), enqs(0)});
    const auto both = {enq(1, 2), enqs(1)};
    if (fewer_first) {
      runs.join(wait, both, many);
    } else {
      const std::size_t longer = runs.add({deq(0), testing::returns(0, 1)});
      const std::size_t then = runs.add({enq(0, 1), enqs(0)}, longer);
      runs.join(then, both, many);
    }
    runs.add({deq(1), deqs(1, 2)}, many);
    const Outcome outcome = runs.check(Order::kQuiescent);
    ASSERT_EQ(outcome.answer, Answer::kViolated);
    EXPECT_EQ(outcome.path->size(), fewer_first ? 6u : 8u);
  }
}

TEST(Quiescent, FaultsAreViolationsToo) {
  Runs runs;
  runs.add(overtaking());
  runs.system.fault(1, 0, 5, 99);
  const Outcome outcome = runs.check(Order::kQuiescent);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "fault 5");
}

Options at_most(std::uint32_t busy, bool by_user) {
  Options options;
  options.busy = {busy, by_user};
  return options;
}

TEST(BusyPeriods, TheBoundOfTheUserIsPartOfTheCheck) {
  Runs runs;
  runs.add({enq(0, 1), enq(1, 2), enqs(1), deq(1), deqs(1, 7), enqs(0)});
  const Outcome enough = runs.check(Order::kQuiescent, at_most(3, true));
  EXPECT_EQ(enough.answer, Answer::kViolated);
  const Outcome few = runs.check(Order::kQuiescent, at_most(2, true));
  EXPECT_EQ(few.answer, Answer::kHolds);
  ASSERT_EQ(few.bounds_met.size(), 1u);
  EXPECT_EQ(few.bounds_met[0], "2 operations in a busy period");
  EXPECT_EQ(runs.check(Order::kQuiescent, at_most(1, true)).bounds_met[0],
            "1 operation in a busy period");
}

TEST(BusyPeriods, ABoundOfOursThatWasReachedLeavesItOpen) {
  Runs runs;
  runs.add({enq(0, 1), enq(1, 2), enqs(1), deq(1), deqs(1, 2), enqs(0)});
  const Outcome few = runs.check(Order::kQuiescent, at_most(2, false));
  EXPECT_EQ(few.answer, Answer::kUnknown);
  EXPECT_EQ(few.reason,
            "the bound of 2 operations in a busy period was reached");
  EXPECT_NE(few.hint.find("busy N"), std::string::npos);
  const Outcome enough = runs.check(Order::kQuiescent, at_most(3, false));
  EXPECT_EQ(enough.answer, Answer::kHolds);
  EXPECT_TRUE(enough.bounds_met.empty()) << "it was not reached";
}

TEST(BusyPeriods, EachIsCountedAnew) {
  Runs runs;
  const std::size_t quiet = runs.add({enq(0, 1), enq(1, 2), enqs(1), enqs(0)});
  runs.add({enq(0, 1), enq(1, 2), enqs(1), enqs(0)}, quiet);
  EXPECT_TRUE(
      runs.check(Order::kQuiescent, at_most(2, true)).bounds_met.empty());
}

// A process that goes on for ever while another one is pending.
TEST(BusyPeriods, ABoundMakesAnEndlessSearchEnd) {
  Runs runs(2, "register");
  const std::size_t pending = runs.add({enq(0, 1)});
  const std::size_t begun = runs.add({enq(1, 2)}, pending);
  runs.join(begun, {enqs(1)}, pending);
  const Outcome outcome = runs.check(Order::kQuiescent, at_most(5, true));
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.bounds_met.size(), 1u);
  EXPECT_EQ(outcome.statistics.states, 3u);
  EXPECT_EQ(outcome.statistics.pairs, 10u) << "0 to 4 operations have returned";
}

// Searches that stop and are resumed end as if they had never stopped.
TEST(Orders, CanBeSavedAndResumed) {
  const std::string file =
      ::testing::TempDir() + "plumb_orders_" + std::to_string(getpid());
  for (const bool wrong : {false, true}) {
    const testing::ObjectSystem system(testing::program_of(
        "stack", {{0, testing::number(1)}, {1, Value()}},
        wrong ? std::vector<testing::Step>{testing::act(testing::Act::kLoad),
                                           testing::act(testing::Act::kApply),
                                           testing::act(testing::Act::kStore)}
              : testing::cas_loop_steps(),
        2, 3));
    const Question question = testing::question_of(system);
    for (const Order order : {Order::kQuiescent, Order::kProgram}) {
      Budget budget;
      const Outcome whole = check_order(question, order, {}, budget);
      ASSERT_EQ(whole.answer, wrong ? Answer::kViolated : Answer::kHolds);
      std::filesystem::remove(file);
      Outcome outcome;
      std::size_t pieces = 0;
      for (; outcome.answer == Answer::kUnknown; ++pieces) {
        Journal journal({.save_to = file,
                         .resume_from = pieces > 0 ? file : "",
                         .seconds = 1e9,
                         .identity = "this test"});
        Options options;
        options.journal = &journal;
        options.state_limit = 1000 * (pieces + 1);
        outcome = check_order(question, order, options, budget);
      }
      EXPECT_GT(pieces, 1u);
      EXPECT_EQ(outcome.answer, whole.answer);
      if (wrong) {
        EXPECT_EQ(outcome.path->size(), whole.path->size());
      } else {
        EXPECT_EQ(outcome.statistics.states, whole.statistics.states);
        EXPECT_EQ(outcome.statistics.pairs, whole.statistics.pairs);
      }
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace plumb::verify
