// SPDX-License-Identifier: Apache-2.0
// Small systems as a whole.
#include "explore/small_graph.h"

#include <gtest/gtest.h>

#include "explore/write_graph.h"
#include "support/table_system.h"

namespace plumb::explore {
namespace {

using Way = std::vector<std::uint32_t>;

// 0 -> 1 -> 2 -> 0, and a fault in 2.
testing::TableSystem circle() {
  testing::TableSystem system(1, {"f"});
  system.invoke(0, 0, 0, Value(), 1);
  system.internal(1, 0, 2);
  system.returns(2, 0, 0, Value(), 0);
  system.fault(2, 0, 7, 3);
  return system;
}

lts::Path path(const testing::TableSystem& system,
               std::initializer_list<std::size_t> states) {
  lts::Path out;
  for (const std::size_t state : states) {
    if (!out.states.empty()) {
      lts::Label label;
      for (const auto& step :
           system.state(system.decode(out.states.back())).transitions) {
        if (step.to == state) label = step.label;
      }
      out.labels.push_back(label);
    }
    out.states.push_back(system.encode(state));
  }
  return out;
}

TEST(SmallGraph, HasEveryStateAndStep) {
  const auto system = circle();
  Budget budget;
  const auto graph = small_graph(system, 10, budget);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->states.size(), 4u);
  EXPECT_EQ(graph->edges.size(), 4u);
  EXPECT_FALSE(graph->faults[2]);
  ASSERT_TRUE(graph->faults[3]);
  EXPECT_EQ(graph->faults[3]->fault, 7u);
}

TEST(SmallGraph, IsNothingIfThereAreTooManyStates) {
  const auto system = circle();
  Budget budget;
  EXPECT_TRUE(small_graph(system, 4, budget));
  EXPECT_FALSE(small_graph(system, 3, budget));
}

TEST(SmallGraph, HasAllThatRandomSystemsReach) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    testing::RandomTable wanted;
    wanted.states = 20;
    wanted.transitions = 40;
    const auto system = random_table_system(wanted, random);
    Budget budget;
    const Reached reached(system, 0, budget);
    const auto graph = small_graph(system, 100, budget);
    ASSERT_TRUE(graph);
    EXPECT_EQ(graph->states.size(), reached.states.size()) << round;
    EXPECT_EQ(graph->edges.size(), reached.transitions) << round;
  }
}

TEST(SmallGraph, FindsTheStatesOfARun) {
  const auto system = circle();
  Budget budget;
  const auto graph = small_graph(system, 10, budget);
  EXPECT_EQ(way_through(*graph, system, path(system, {0, 1, 2, 0})),
            (Way{0, 1, 2, 0}));
  EXPECT_EQ(way_through(*graph, system, path(system, {0, 1, 2, 3})),
            (Way{0, 1, 2, 3}));
}

TEST(SmallGraph, HasNoWayForRunsOfOthers) {
  const auto system = circle();
  Budget budget;
  const auto graph = small_graph(system, 10, budget);
  EXPECT_FALSE(way_through(*graph, system, path(system, {1, 2})));
  EXPECT_FALSE(way_through(*graph, system, path(system, {0, 2})));
  EXPECT_FALSE(way_through(*graph, system, path(system, {0, 1, 9})));
}

TEST(SmallGraph, PassesOverStatesWithinATransition) {
  const auto system = circle();
  testing::TableSystem joined(1, {"f"});
  joined.invoke(0, 0, 0, Value(), 2);
  joined.returns(2, 0, 0, Value(), 0);
  Budget budget;
  const auto graph = small_graph(joined, 10, budget);
  EXPECT_EQ(way_through(*graph, joined, path(system, {0, 1, 2, 0})),
            (Way{0, 1, 0}));
  EXPECT_FALSE(way_through(*graph, joined, path(system, {0, 1})));
}

}  // namespace
}  // namespace plumb::explore
