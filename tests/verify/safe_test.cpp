// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "lts/path.h"
#include "oracle/progress.h"
#include "support/counter_system.h"
#include "support/table_system.h"
#include "verify/outcome.h"

namespace plumb::verify {
namespace {

using check::Answer;
using testing::RandomTable;
using testing::TableSystem;

Outcome check(const lts::System& system, const Options& options = {}) {
  Budget budget;
  return check_safe({system, nullptr, {}}, options, budget);
}

TEST(Safe, AnObjectWithoutFaultsIsSafe) {
  const Outcome outcome = check(testing::CounterSystem(2, 4));
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.states, 969u);
  EXPECT_EQ(outcome.statistics.transitions, 2118u);
  EXPECT_EQ(outcome.statistics.state_bytes, 3u);
  EXPECT_GT(outcome.statistics.store_bytes, 969u * 3);
  EXPECT_FALSE(outcome.path);
}

TEST(Safe, AFaultComesWithTheShortestWayToIt) {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.internal(1, 0, 2);
  system.internal(2, 0, 3);
  system.fault(3, 0, 1, 0);
  system.internal(1, 0, 3, 5);
  const Outcome outcome = check(system);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "fault 1");
  ASSERT_EQ(outcome.path->size(), 3u);
  EXPECT_EQ(outcome.path->labels[1].edge, 5u);
  EXPECT_EQ(outcome.path->labels[2].kind, lts::LabelKind::kFault);
}

TEST(Safe, NothingFollowsAFault) {
  TableSystem system(1, {"get"});
  system.fault(0, 0, 1, 1);
  system.invoke(1, 0, 0, {}, 2);
  EXPECT_EQ(check(system).statistics.states, 1u);
}

TEST(Safe, LimitsGiveUnknown) {
  Options options;
  options.state_limit = 100;
  const testing::CounterSystem system(2, 4);
  for (const auto order :
       {Options::Order::kBreadthFirst, Options::Order::kDepthFirst}) {
    options.order = order;
    const Outcome outcome = check(system, options);
    EXPECT_EQ(outcome.answer, Answer::kUnknown);
    EXPECT_EQ(outcome.reason,
              "the limit of 100 states was reached after 100 states");
  }
  Budget interrupted;
  Budget::interrupted = true;
  const Outcome outcome = check_safe({system, nullptr, {}}, {}, interrupted);
  Budget::interrupted = false;
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.reason, "interrupted after 1 state");
}

TEST(Safe, AgreesWithTheDefinitionOnRandomSystemsInBothOrders) {
  std::mt19937 random(5);
  int violated = 0, unknown = 0;
  for (std::size_t round = 0; round < 600; ++round) {
    RandomTable wanted;
    wanted.processes = 1 + round % 3;
    wanted.operations = 1;
    wanted.states = 3 + random() % 30;
    wanted.transitions = wanted.states * (1 + random() % 3);
    wanted.faults = 0.05;
    wanted.cuts = round % 2 == 0 ? 0.1 : 0;
    wanted.cut_by_user = round % 4 == 0;
    const TableSystem system = random_table_system(wanted, random);
    const auto fault = oracle::nearest_fault(system);
    const bool cut = oracle::is_cut(system, 0) && !wanted.cut_by_user;
    Options options;
    for (const auto order :
         {Options::Order::kBreadthFirst, Options::Order::kDepthFirst}) {
      options.order = order;
      const Outcome outcome = check(system, options);
      ASSERT_EQ(outcome.answer, fault ? Answer::kViolated
                                : cut ? Answer::kUnknown
                                      : Answer::kHolds)
          << "round " << round;
      violated += outcome.answer == Answer::kViolated;
      unknown += outcome.answer == Answer::kUnknown;
      if (!fault) continue;
      ASSERT_TRUE(lts::is_run_of(*outcome.path, system));
      ASSERT_EQ(outcome.path->labels.back().kind, lts::LabelKind::kFault);
      if (order == Options::Order::kBreadthFirst) {
        ASSERT_EQ(outcome.path->size(), *fault);
      }
    }
  }
  EXPECT_GT(violated, 100);
  EXPECT_GT(unknown, 50);
}

}  // namespace
}  // namespace plumb::verify
