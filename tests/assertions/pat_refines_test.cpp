// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "lts/path.h"
#include "oracle/refinement.h"
#include "support/event_system.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using testing::EventSystem;
using testing::random_event_system;
using testing::RandomEvents;

Outcome check(const lts::System& implementation,
              const lts::System& specification) {
  Budget budget;
  return pat_refines(implementation, specification, {}, budget);
}

TEST(PatRefines, CountsPairsThatNoOtherOneStandsFor) {
  // State 1 is reached with the set {1, 2} by way of a, then with the smaller
  // set {2} by way of b; the last one found is expanded first.
  EventSystem implementation, specification;
  implementation.event(0, "b", 1);
  implementation.event(0, "a", 1);
  implementation.event(1, "c", 1);
  specification.event(0, "a", 1);
  specification.event(0, "a", 2);
  specification.event(0, "b", 2);
  specification.event(1, "c", 1);
  specification.event(2, "c", 2);
  const Outcome outcome = check(implementation, specification);
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.states, 2u);
  EXPECT_EQ(outcome.statistics.transitions, 3u);
  // The other way round the larger set comes first: it is no longer counted,
  // but its state's steps are taken once more.
  EventSystem other;
  other.event(0, "a", 1);
  other.event(0, "b", 1);
  other.event(1, "c", 1);
  const Outcome twice = check(other, specification);
  EXPECT_EQ(twice.statistics.states, 2u);
  EXPECT_EQ(twice.statistics.transitions, 4u);
  EXPECT_EQ(twice.statistics.method, "PAT's loop");
}

TEST(PatRefines, WithoutChoicesOfTheSpecificationItCountsStatesAndSteps) {
  EventSystem ring, specification;
  for (std::size_t i = 0; i < 7; ++i) {
    ring.event(i, "a", (i + 1) % 7);
    ring.tau(i, (i + 3) % 7);
  }
  specification.event(0, "a", 0);
  const Outcome outcome = check(ring, specification);
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.states, 7u);
  EXPECT_EQ(outcome.statistics.transitions, 14u);
}

TEST(PatRefines, ShowsTheFirstTraceThatItsOrderComesTo) {
  EventSystem implementation, specification;
  implementation.event(0, "a", 1);
  implementation.event(0, "a", 2);
  implementation.event(1, "b", 0);
  implementation.event(2, "a", 3);
  implementation.event(3, "b", 0);
  specification.event(0, "a", 1);
  specification.event(1, "a", 2);
  const Outcome outcome = check(implementation, specification);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(EventSystem::words(*outcome.path), "a a b");
  EXPECT_EQ(outcome.statistics.states, 4u);
  EXPECT_EQ(outcome.statistics.transitions, 4u);
}

// The loop as it is written down, on sets of numbers.
struct Loop {
  const EventSystem& implementation;
  const EventSystem& specification;
  std::size_t visited = 0, transitions = 0;
  bool holds = true;

  using Set = std::set<std::size_t>;

  void run() {
    std::vector<std::vector<Set>> antichains(implementation.states());
    std::vector<std::pair<std::size_t, oracle::Trace>> stack = {{0, {}}};
    antichains[0] = {oracle::states_after(specification, {})};
    while (!stack.empty() && holds) {
      const auto [state, trace] = stack.back();
      stack.pop_back();
      for (const auto& step : implementation.state(state).transitions) {
        ++transitions;
        lts::Path one;
        one.labels = {step.label};
        oracle::Trace longer = trace;
        for (const auto& name : oracle::trace_of(one)) longer.push_back(name);
        const Set next = oracle::states_after(specification, longer);
        holds = !next.empty();
        if (!holds) break;
        if (keep(antichains[step.to], next)) stack.push_back({step.to, longer});
      }
    }
    for (const auto& antichain : antichains) visited += antichain.size();
  }

  static bool keep(std::vector<Set>& antichain, const Set& next) {
    for (const Set& set : antichain) {
      if (std::ranges::includes(next, set)) return false;
    }
    std::erase_if(antichain, [&](const Set& set) {
      return std::ranges::includes(set, next);
    });
    antichain.push_back(next);
    return true;
  }
};

TEST(PatRefines, CountsAsTheLoopIsWrittenDown) {
  std::mt19937 random(7401);
  std::size_t held = 0, violated = 0;
  for (int round = 0; round < 600; ++round) {
    RandomEvents wanted;
    wanted.states = 2 + random() % 5;
    wanted.steps = wanted.states + random() % 8;
    wanted.taus = 0.25;
    const EventSystem left = random_event_system(wanted, random);
    wanted.steps += 4 + random() % 8;
    const EventSystem right = random_event_system(wanted, random);
    Loop loop{left, right};
    loop.run();
    const Outcome outcome = check(left, right);
    ASSERT_EQ(outcome.answer, loop.holds ? Answer::kHolds : Answer::kViolated)
        << "round " << round;
    ASSERT_EQ(outcome.statistics.states, loop.visited) << "round " << round;
    ASSERT_EQ(outcome.statistics.transitions, loop.transitions)
        << "round " << round;
    ++(loop.holds ? held : violated);
  }
  EXPECT_GT(held, 80u);
  EXPECT_GT(violated, 80u);
}

}  // namespace
}  // namespace plumb::assertions
