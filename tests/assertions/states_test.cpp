// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "assertions/assertions.h"
#include "base/input_error.h"
#include "lts/path.h"
#include "oracle/reachable.h"
#include "report/event_failure.h"
#include "support/event_system.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using oracle::Distance;
using testing::EventSystem;
using testing::random_event_system;
using testing::RandomEvents;

using Assertion = Outcome (*)(const lts::System&, const Options&, Budget&);

Outcome check(Assertion assertion, const lts::System& system,
              const Options& options = {}) {
  Budget budget;
  return assertion(system, options, budget);
}

TEST(DeadlockFree, TheEndOfAProcessIsNoDeadlock) {
  EventSystem system;
  system.event(0, "a", 1);
  system.terminate(1, 2);
  const Outcome outcome = check(deadlock_free, system);
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.states, 3u);
  EXPECT_EQ(outcome.statistics.transitions, 2u);
  const Outcome ends = check(nonterminating, system);
  EXPECT_EQ(ends.answer, Answer::kViolated);
  EXPECT_EQ(ends.reason, "the process may terminate");
  EXPECT_EQ(EventSystem::words(*ends.path), "a terminate");
}

TEST(DeadlockFree, AStuckStateIsShownByAShortestPath) {
  EventSystem system;
  system.event(0, "a", 1);
  system.event(1, "a", 2);
  system.event(2, "a", 3);
  system.event(0, "b", 4);
  system.event(4, "c", 3);
  for (const Assertion assertion : {deadlock_free, nonterminating}) {
    const Outcome outcome = check(assertion, system);
    EXPECT_EQ(outcome.answer, Answer::kViolated);
    EXPECT_EQ(outcome.reason, "no step is possible in the last state");
    EXPECT_EQ(EventSystem::words(*outcome.path), "b c");
  }
  EXPECT_EQ(check(deadlock_free, EventSystem()).path->size(), 0u);
}

TEST(DeadlockFree, AnEndThatIsAlsoReachedOtherwiseIsADeadlock) {
  // Before and after it is known to be stuck.
  EventSystem soon, late;
  soon.terminate(0, 1);
  soon.event(0, "a", 1);
  EXPECT_EQ(EventSystem::words(*check(deadlock_free, soon).path), "a");
  late.terminate(0, 1);
  late.event(0, "a", 2);
  late.event(2, "b", 3);
  late.tau(3, 1);
  EXPECT_EQ(EventSystem::words(*check(deadlock_free, late).path), "a b tau");
}

TEST(DeadlockFree, AStateOfTheSameLevelComesFirst) {
  // State 2 leads to the end of a process; state 3 is stuck, and nearer.
  EventSystem system;
  system.terminate(0, 1);
  system.event(0, "a", 2);
  system.event(0, "b", 3);
  system.tau(2, 1);
  EXPECT_EQ(EventSystem::words(*check(deadlock_free, system).path), "b");
  // The same with a fault.
  EventSystem wrong;
  wrong.event(0, "a", 1);
  wrong.event(0, "b", 2);
  wrong.goes_wrong(1, 0);
  EXPECT_EQ(EventSystem::words(*check(deadlock_free, wrong).path), "b");
}

TEST(DeadlockFree, WhatABoundCutsOffIsNoDeadlock) {
  EventSystem system;
  system.event(0, "a", 1);
  system.cut(1, 0);
  system.add_bound({"3 cells", false, "raise 'cells'"});
  const Outcome outcome = check(deadlock_free, system);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.reason, "the bound of 3 cells was reached");
  EXPECT_EQ(outcome.hint, "raise 'cells'");
}

TEST(DivergenceFree, ACycleOfInternalStepsIsALasso) {
  EventSystem system;
  system.event(0, "a", 1);
  system.tau(1, 2);
  system.tau(2, 1);
  system.event(2, "b", 2);
  const Outcome outcome = check(divergence_free, system);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "internal steps may go on for ever");
  ASSERT_TRUE(outcome.lasso);
  EXPECT_EQ(outcome.lasso->back_to, 1u);
  EXPECT_EQ(EventSystem::words(outcome.lasso->path), "a tau tau");
  EventSystem visible;
  visible.tau(0, 1);
  visible.event(1, "a", 0);
  EXPECT_EQ(check(divergence_free, visible).answer, Answer::kHolds);
}

TEST(DivergenceFree, ACycleNearTheStartIsFoundEarly) {
  EventSystem line;
  for (std::size_t i = 0; i < 60'000; ++i) line.event(i, "a", i + 1);
  line.tau(3, 3);
  const Outcome outcome = check(divergence_free, line);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_LT(outcome.statistics.states, 5'000u);
}

TEST(Deterministic, TwoStepsOfOneNameToDifferentStatesAreNot) {
  EventSystem system;
  system.tau(0, 1);
  system.tau(0, 2);  // this choice does not count
  system.event(1, "a", 0);
  system.event(1, "a", 0, 2);
  system.event(2, "b", 0);
  system.event(2, "a", 1);
  EXPECT_EQ(check(deterministic, system).answer, Answer::kHolds);
  system.event(2, "b", 2);
  const Outcome outcome = check(deterministic, system);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(report::reason_of(*outcome.failure, {}),
            "the last step, 'b', may lead to another state");
  EXPECT_EQ(EventSystem::words(*outcome.path), "tau b");
}

Outcome check_reaches(const EventSystem& system,
                      const std::function<bool(std::size_t)>& predicate,
                      const std::optional<Extreme>& extreme = {},
                      const Options& options = {}) {
  Budget budget;
  return reaches(
      system,
      [&](lts::StateView state) { return predicate(system.decode(state)); },
      extreme, options, budget);
}

TEST(Reaches, FindsANearestState) {
  EventSystem system;
  system.event(0, "a", 1);
  system.event(1, "a", 2);
  system.event(0, "b", 3);
  const auto outcome =
      check_reaches(system, [](std::size_t s) { return s >= 2; });
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(EventSystem::words(*outcome.path), "b");
  EXPECT_EQ(
      check_reaches(system, [](std::size_t s) { return s == 0; }).path->size(),
      0u);
  const auto never =
      check_reaches(system, [](std::size_t s) { return s == 9; });
  EXPECT_EQ(never.answer, Answer::kViolated);
  EXPECT_EQ(never.reason, "no reachable state satisfies the condition");
  EXPECT_FALSE(never.path);
  EXPECT_EQ(never.statistics.states, 4u);
}

TEST(Reaches, LooksForTheLeastOrGreatestValueOfAll) {
  EventSystem system;
  for (std::size_t i = 0; i < 10; ++i) system.event(i, "a", i + 1);
  const auto measure = [&](lts::StateView state) {
    const auto s = static_cast<std::int64_t>(system.decode(state));
    return (s - 4) * (s - 4);
  };
  const auto odd = [](std::size_t s) { return s % 2 == 1; };
  const auto least = check_reaches(system, odd, Extreme{false, measure});
  EXPECT_EQ(least.answer, Answer::kHolds);
  EXPECT_EQ(least.details, std::vector<std::string>{"the least value is 1"});
  EXPECT_EQ(least.path->size(), 3u) << "state 3 is nearer than state 5";
  const auto greatest = check_reaches(system, odd, Extreme{true, measure});
  EXPECT_EQ(greatest.details,
            std::vector<std::string>{"the greatest value is 25"});
  EXPECT_EQ(greatest.path->size(), 9u);
  Options options;
  options.state_limit = 8;
  const auto some = check_reaches(system, odd, Extreme{true, measure}, options);
  EXPECT_EQ(some.answer, Answer::kUnknown);
  EXPECT_EQ(some.reason, "the limit of 8 states was reached after 8 states");
  EXPECT_EQ(some.details,
            std::vector<std::string>{"the greatest value so far is 9"});
}

TEST(Assertions, AFaultLeavesTheAnswerOpen) {
  EventSystem system;
  system.event(0, "a", 0);
  system.event(0, "b", 1);
  system.goes_wrong(1, 2);
  system.event(1, "a", 0);
  for (const Assertion assertion :
       {deadlock_free, nonterminating, divergence_free, deterministic}) {
    for (const auto order :
         {Options::Order::kBreadthFirst, Options::Order::kDepthFirst}) {
      Options options;
      options.order = order;
      const Outcome outcome = check(assertion, system, options);
      EXPECT_EQ(outcome.answer, Answer::kUnknown);
      EXPECT_EQ(outcome.reason, "the model goes wrong: fault 2");
      EXPECT_EQ(EventSystem::words(*outcome.path), "b fault");
    }
  }
  const auto never =
      check_reaches(system, [](std::size_t s) { return s == 9; });
  EXPECT_EQ(never.answer, Answer::kUnknown);
  EXPECT_EQ(EventSystem::words(*never.path), "b fault");
}

TEST(Assertions, QuestionsAboutCyclesNeedWholeStates) {
  EventSystem system;
  system.event(0, "a", 0);
  Options options;
  options.store = Options::Store::kCompact;
  EXPECT_THROW(check(divergence_free, system, options), InputError);
  const Extreme least{false, [](lts::StateView) { return 0; }};
  EXPECT_THROW(check_reaches(
                   system, [](std::size_t) { return true; }, least, options),
               InputError);
}

TEST(Assertions, StopAtTheirLimits) {
  EventSystem line;
  for (std::size_t i = 0; i < 200; ++i) line.event(i, "a", i + 1);
  Options options;
  options.state_limit = 100;
  for (const Assertion assertion :
       {deadlock_free, nonterminating, divergence_free, deterministic}) {
    const Outcome outcome = check(assertion, line, options);
    EXPECT_EQ(outcome.answer, Answer::kUnknown);
    EXPECT_EQ(outcome.reason,
              "the limit of 100 states was reached after 100 states");
  }
  EXPECT_EQ(check_reaches(
                line, [](std::size_t s) { return s == 150; }, {}, options)
                .answer,
            Answer::kUnknown);
}

// What is wrong with the outcome, or "".  `expected`: when the violation shows.
std::string fault_of(const Outcome& outcome, const EventSystem& system,
                     const Distance& expected) {
  const Distance fault = oracle::to_fault(system);
  if (outcome.answer == Answer::kHolds) {
    return expected || fault ? "it does not hold" : "";
  }
  if (outcome.answer == Answer::kUnknown) {
    if (!fault) return "it is unknown: " + outcome.reason;
    if (outcome.path->size() != *fault) return "another fault is nearer";
    return expected && *expected < *fault ? "a violation is nearer" : "";
  }
  if (!expected) return "it is not violated";
  const lts::Path& path = outcome.lasso ? outcome.lasso->path : *outcome.path;
  if (!is_run_of(path, system)) return "it is not a run";
  const std::size_t length =
      outcome.lasso ? outcome.lasso->back_to : path.size();
  if (length != *expected) return "there is a shorter one";
  return "";
}

// What is found is found; what is not proves nothing.
void expect_same_with_fingerprints(Assertion assertion,
                                   const EventSystem& system,
                                   const Outcome& exact) {
  for (const auto store :
       {Options::Store::kCompact, Options::Store::kBitstate}) {
    Options options;
    options.store = store;
    options.table_bytes = 1 << 16;
    const Outcome outcome = check(assertion, system, options);
    EXPECT_EQ(outcome.answer,
              exact.answer == Answer::kHolds ? Answer::kUnknown : exact.answer);
    ASSERT_EQ(outcome.path.has_value(), exact.path.has_value());
    if (exact.path) {
      EXPECT_EQ(outcome.path->size(), exact.path->size());
    }
  }
}

TEST(Assertions, AgreeWithTheDefinitionsOnRandomSystems) {
  std::mt19937 random(7301);
  std::size_t violated = 0, held = 0, unknown = 0;
  for (int round = 0; round < 1'200; ++round) {
    RandomEvents wanted;
    wanted.states = 2 + random() % 6;
    wanted.steps = wanted.states + random() % 10;
    wanted.names = 2 + random() % 4;
    wanted.faults = round % 4 == 0 ? 0.1 : 0;
    EventSystem system = random_event_system(wanted, random);
    // The end of a process may be a state like any other, but a stuck one.
    if (random() % 2 == 0) system.event(0, "z", wanted.states);
    const std::pair<Assertion, Distance> all[] = {
        {deadlock_free, oracle::to_stuck_state(system, true)},
        {nonterminating, oracle::to_stuck_state(system, false)},
        {deterministic, oracle::to_ambiguous_step(system)},
        {divergence_free, oracle::to_internal_cycle(system)},
    };
    for (std::size_t i = 0; i < 4; ++i) {
      Options options;
      options.threads = 1 + static_cast<std::size_t>(round) % 3;
      options.states_alone = 1;
      const Outcome outcome = check(all[i].first, system, options);
      const bool is_divergence = i == 3;
      if (!is_divergence) {
        expect_same_with_fingerprints(all[i].first, system, outcome);
      }
      // A cycle is found in what was explored before a fault, near or far.
      if (!(is_divergence && oracle::to_fault(system))) {
        ASSERT_EQ(fault_of(outcome, system, all[i].second), "")
            << "round " << round << ", " << i;
      }
      (outcome.answer == Answer::kHolds      ? held
       : outcome.answer == Answer::kViolated ? violated
                                             : unknown)++;
    }
  }
  EXPECT_GT(violated, 500u);
  EXPECT_GT(held, 500u);
  EXPECT_GT(unknown, 50u);
}

}  // namespace
}  // namespace plumb::assertions
