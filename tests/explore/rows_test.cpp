// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

#include "explore/components.h"
#include "explore/cycle.h"
#include "explore/rows.h"

namespace plumb::explore {
namespace {

// Rows with steps of processes 0 to 2, which are their numbers.
struct RandomRows {
  std::size_t states;
  Rows rows{1, 3};

  RandomRows(std::size_t count, std::mt19937& random) : states(count) {
    for (StateId s = 0; s < states; ++s) {
      std::vector<Rows::Step> row;
      for (std::size_t i = random() % 4; i > 0; --i) {
        row.push_back({static_cast<StateId>(random() % states),
                       static_cast<std::uint32_t>(random() % 3)});
      }
      EXPECT_TRUE(rows.add(0, s, row));
    }
    rows.finish();
  }
  std::vector<Rows::Step> operator[](StateId state) const {
    std::vector<Rows::Step> row;
    Rows::Cursor steps = rows[state];
    for (Rows::Step step; rows.next(steps, step);) row.push_back(step);
    return row;
  }
};

// Processes 0 and 1 may move.
bool keep(const Rows::Step& step) {
  return step.number < 2;
}
bool needed(const Rows::Step& step) {
  return step.number == 1;
}

// steps[a][b]: the least number of steps, one at least, from a to b.
using Distances = std::vector<std::vector<std::size_t>>;
constexpr std::size_t kFar = 1'000'000;

Distances all_distances(const RandomRows& graph) {
  const std::size_t n = graph.states;
  Distances far(n, std::vector<std::size_t>(n, kFar));
  for (StateId s = 0; s < n; ++s) {
    for (const Rows::Step& step : graph[s]) {
      if (keep(step)) far[s][step.target] = 1;
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
std::size_t cycle_length(const RandomRows& graph, const Distances& far,
                         StateId start) {
  std::size_t best = kFar;
  for (StateId s = 0; s < graph.states; ++s) {
    const std::size_t to = s == start ? 0 : far[start][s];
    for (const Rows::Step& step : graph[s]) {
      if (!needed(step)) continue;
      const StateId t = step.target;
      best = std::min(best, to + 1 + (t == start ? 0 : far[t][start]));
    }
  }
  return best;
}

TEST(Components, AreTheStatesThatReachEachOther) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const RandomRows graph(1 + random() % 25, random);
    const Distances far = all_distances(graph);
    Components components(graph.rows, graph.states, keep);
    Budget budget;
    ASSERT_TRUE(components.find(budget));
    for (StateId a = 0; a < graph.states; ++a) {
      EXPECT_GE(components[a], 1u);
      EXPECT_LE(components[a], graph.states);
      for (StateId b = 0; b < graph.states; ++b) {
        ASSERT_EQ(components[a] == components[b],
                  a == b || (far[a][b] < kFar && far[b][a] < kFar));
      }
    }
  }
}

TEST(Components, NeedNoRecursion) {
  Rows rows(1, 3);
  constexpr StateId kStates = 2'000'000;
  for (StateId s = 0; s < kStates; ++s) {
    ASSERT_TRUE(rows.add(0, s, {{(s + 1) % kStates, 0}}));
  }
  rows.finish();
  Components components(rows, kStates, keep);
  Budget budget;
  ASSERT_TRUE(components.find(budget));
  EXPECT_EQ(components[0], components[kStates - 1]);
  Budget spent = Budget().with_steps(1000);
  Components others(rows, kStates, keep);
  EXPECT_FALSE(others.find(spent));
}

TEST(Cycle, IsAShortestOneThroughAStateOfAComponentWithOne) {
  std::mt19937 random(4);
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    const RandomRows graph(1 + random() % 25, random);
    const Distances far = all_distances(graph);
    Budget budget;
    const auto states =
        states_of_cycles(graph.rows, graph.states, keep, needed, budget);
    ASSERT_TRUE(states);
    for (StateId s = 0; s < graph.states; ++s) {
      const auto cycle = shortest_cycle(graph.rows, s, keep, needed);
      const std::size_t length = cycle_length(graph, far, s);
      ASSERT_EQ(cycle.size(), length < kFar ? length : 0);
      ASSERT_EQ(!states->empty() && (*states)[s], !cycle.empty());
      StateId at = s;
      bool passed = false;
      for (const Rows::Step& step : cycle) {
        const auto row = graph[at];
        ASSERT_TRUE(std::ranges::any_of(row, [&](const Rows::Step& each) {
          return each.target == step.target && each.number == step.number;
        }));
        ASSERT_TRUE(keep(step));
        passed |= needed(step);
        at = step.target;
      }
      EXPECT_EQ(at, s);
      EXPECT_EQ(passed, !cycle.empty());
    }
    found += !states->empty();
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(found, 490);
}

TEST(Rows, AreReadAsTheyWereWrittenByWhateverThread) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const std::size_t threads = 1 + random() % 3;
    const auto numbers = static_cast<std::uint32_t>(1 + random() % 300);
    // Half of them do not say how large numbers are.
    Rows rows(threads, round % 2 == 0 ? 0 : numbers);
    std::vector<std::vector<Rows::Step>> written(200);
    std::vector<bool> has_row(200);
    for (StateId next = 0; next < 200;) {
      // Threads write rows of neighbours, with gaps.
      const std::size_t thread = random() % threads;
      if (random() % 3 == 0) next += static_cast<StateId>(random() % 5);
      for (std::size_t n = 1 + random() % 40; n > 0 && next < 200; --n) {
        auto& row = written[next];
        for (std::size_t i = random() % 4; i > 0; --i) {
          row.push_back(
              {static_cast<StateId>(random() % 2 == 0 ? random() % 200
                                                      : random() & 0x7FFFFFFF),
               static_cast<std::uint32_t>(random() % numbers)});
        }
        has_row[next] = true;
        ASSERT_TRUE(rows.add(thread, next, row));
        ++next;
      }
    }
    rows.finish();
    for (StateId state = 0; state < 230; ++state) {
      Rows::Cursor steps = rows[state];
      Rows::Step step{};
      if (state < 200 && has_row[state]) {
        for (const Rows::Step& each : written[state]) {
          ASSERT_TRUE(rows.next(steps, step));
          EXPECT_EQ(step.target, each.target);
          EXPECT_EQ(step.number, each.number);
        }
      }
      EXPECT_FALSE(rows.next(steps, step));
    }
  }
}

// Sanitizers need more address space than we could take away.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void write_until_memory_ends() {
  Rows rows(1, 0);
  const std::vector<Rows::Step> row(1000, {1'000'000'000, 1'000'000'000});
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * 4096 + (rlim_t{30} << 20);
  const rlimit limit = {most, most};
  setrlimit(RLIMIT_AS, &limit);
  StateId written = 0;
  while (rows.add(0, written, row)) ++written;
  rows.finish();
  const auto steps_of = [&](StateId state) {
    std::size_t steps = 0;
    Rows::Cursor cursor = rows[state];
    for (Rows::Step step; rows.next(cursor, step); ++steps) {
      if (step.target != row[0].target) std::_Exit(2);
    }
    return steps;
  };
  for (StateId state = 0; state < written; ++state) {
    if (steps_of(state) != row.size()) std::_Exit(3);
  }
  std::_Exit(written > 1000 && steps_of(written) == 0 ? 0 : 1);
}

TEST(Rows, AreWrittenWholeOrNotAtAll) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(write_until_memory_ends(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace plumb::explore
