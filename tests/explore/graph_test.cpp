// SPDX-License-Identifier: Apache-2.0
#include "explore/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "explore/components.h"
#include "explore/cycle.h"
#include "explore/explorer.h"
#include "support/counter_system.h"
#include "support/table_system.h"

namespace plumb::explore {
namespace {

using lts::LabelKind;
using testing::CounterSystem;

lts::Label internal_step(std::size_t process, std::uint32_t edge = 0) {
  lts::Label label;
  label.process = static_cast<std::uint16_t>(process);
  label.edge = edge;
  return label;
}

// A graph of internal steps of processes 0 to 2, and nothing else.
Graph random_graph(std::size_t states, std::mt19937& random) {
  Graph graph;
  for (std::size_t s = 0; s < states; ++s) {
    EXPECT_TRUE(graph.start_row());
    for (std::size_t i = random() % 4; i > 0; --i) {
      EXPECT_TRUE(graph.add(internal_step(random() % 3),
                            static_cast<StateId>(random() % states)));
    }
  }
  return graph;
}

// Processes 0 and 1 may move.
bool keep(const Graph::Transition& step) {
  return step.process() < 2;
}
bool needed(const Graph::Transition& step) {
  return step.process() == 1;
}

// steps[a][b]: the least number of steps, one at least, from a to b.
using Distances = std::vector<std::vector<std::size_t>>;
constexpr std::size_t kFar = 1'000'000;

Distances all_distances(const Graph& graph) {
  const std::size_t n = graph.rows();
  Distances far(n, std::vector<std::size_t>(n, kFar));
  for (StateId s = 0; s < n; ++s) {
    for (auto i = graph.row_begin(s); i < graph.row_end(s); ++i) {
      if (keep(graph[i])) far[s][graph[i].target] = 1;
    }
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        far[a][b] = std::min(far[a][b], far[a][via] + far[via][b]);
      }
    }
  }
  return far;
}

// The length of a shortest cycle through `start` with a needed step.
std::size_t cycle_length(const Graph& graph, const Distances& far,
                         StateId start) {
  std::size_t best = kFar;
  for (StateId s = 0; s < graph.rows(); ++s) {
    const std::size_t to = s == start ? 0 : far[start][s];
    for (auto i = graph.row_begin(s); i < graph.row_end(s); ++i) {
      if (!needed(graph[i])) continue;
      const StateId t = graph[i].target;
      best = std::min(best, to + 1 + (t == start ? 0 : far[t][start]));
    }
  }
  return best;
}

TEST(Components, AreTheStatesThatReachEachOther) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const Graph graph = random_graph(1 + random() % 25, random);
    const Distances far = all_distances(graph);
    Components components(graph, graph.rows(), keep);
    Budget budget;
    ASSERT_TRUE(components.find(budget));
    for (StateId a = 0; a < graph.rows(); ++a) {
      EXPECT_GE(components[a], 1u);
      EXPECT_LE(components[a], graph.rows());
      for (StateId b = 0; b < graph.rows(); ++b) {
        ASSERT_EQ(components[a] == components[b],
                  a == b || (far[a][b] < kFar && far[b][a] < kFar));
      }
    }
  }
}

TEST(Components, NeedNoRecursion) {
  Graph graph;
  constexpr StateId kStates = 2'000'000;
  for (StateId s = 0; s < kStates; ++s) {
    graph.start_row();
    graph.add(internal_step(0), (s + 1) % kStates);
  }
  Components components(graph, graph.rows(), keep);
  Budget budget;
  ASSERT_TRUE(components.find(budget));
  EXPECT_EQ(components[0], components[kStates - 1]);
  Budget spent = Budget().with_steps(1000);
  Components others(graph, graph.rows(), keep);
  EXPECT_FALSE(others.find(spent));
}

TEST(Cycle, IsAShortestOneThroughTheNearestState) {
  std::mt19937 random(4);
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    const Graph graph = random_graph(1 + random() % 25, random);
    const Distances far = all_distances(graph);
    StateId nearest = kNoState;
    for (StateId s = 0; s < graph.rows(); ++s) {
      const auto cycle = shortest_cycle(graph, s, keep, needed);
      const std::size_t length = cycle_length(graph, far, s);
      ASSERT_EQ(cycle.size(), length < kFar ? length : 0);
      if (cycle.empty()) continue;
      nearest = std::min(nearest, s);
      StateId at = s;
      bool passed = false;
      for (const std::uint64_t i : cycle) {
        ASSERT_TRUE(graph.row_begin(at) <= i && i < graph.row_end(at));
        ASSERT_TRUE(keep(graph[i]));
        passed |= needed(graph[i]);
        at = graph[i].target;
      }
      EXPECT_EQ(at, s);
      EXPECT_TRUE(passed);
    }
    Budget budget;
    ASSERT_EQ(nearest_cycle(graph, graph.rows(), keep, needed, budget),
              nearest);
    found += nearest != kNoState;
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(found, 490);
}

TEST(Graph, HasTheTransitionsOfTheSystem) {
  const CounterSystem system(2, 3);
  for (const bool internal_only : {false, true}) {
    Graph graph;
    GraphBuilder builder(graph, internal_only);
    Budget budget;
    Explorer explorer(system, {}, budget);
    ASSERT_EQ(explorer.run(builder), SearchEnd::kComplete);
    ASSERT_EQ(graph.rows(), explorer.states());
    EXPECT_FALSE(builder.out_of_memory());
    lts::Successors out;
    for (StateId s = 0; s < graph.rows(); ++s) {
      system.successors(explorer.state(s), out);
      auto at = graph.row_begin(s);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const lts::Label& label = out.label(i);
        if (internal_only && label.kind != LabelKind::kInternal) continue;
        ASSERT_LT(at, graph.row_end(s));
        const Graph::Transition& step = graph[at++];
        EXPECT_TRUE(step.is_of(label));
        EXPECT_EQ(step.kind(), label.kind);
        EXPECT_EQ(step.process(), label.process);
        EXPECT_EQ(step.edge(), label.edge);
        EXPECT_EQ(step.target, explorer.find(out.state(i)));
      }
      EXPECT_EQ(at, graph.row_end(s));
    }
  }
}

// LIMIT of graph.h: edges of very large numbers share one.
TEST(Graph, TellsEdgesApartUpToALargeNumber) {
  Graph graph;
  graph.start_row();
  graph.add(internal_step(63, 0x7FFFFE), 0);
  graph.add(internal_step(63, 0x12345678), 0);
  EXPECT_EQ(graph[0].edge(), 0x7FFFFEu);
  EXPECT_EQ(graph[0].process(), 63u);
  EXPECT_EQ(graph[1].edge(), 0x7FFFFFu);
  EXPECT_TRUE(graph[1].is_of(internal_step(63, 0x7FFFFF)));
}

}  // namespace
}  // namespace plumb::explore
