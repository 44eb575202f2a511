// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "assertions/assertions.h"
#include "lts/path.h"
#include "oracle/refinement.h"
#include "report/event_failure.h"
#include "support/event_system.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using testing::EventSystem;
using testing::random_event_system;
using testing::RandomEvents;

constexpr Semantics kAll[] = {Semantics::kTraces, Semantics::kFailures,
                              Semantics::kFailuresDivergences};

Outcome check(const lts::System& implementation,
              const lts::System& specification, Semantics semantics,
              const Options& options = {}) {
  Budget budget;
  return refines(implementation, specification, semantics, options, budget);
}

std::string words(const Outcome& outcome) {
  return outcome.failure ? report::reason_of(*outcome.failure, {})
                         : outcome.reason;
}

// a and b for ever, in turn.
EventSystem in_turn() {
  EventSystem system;
  system.event(0, "a", 1);
  system.event(1, "b", 0);
  return system;
}

// Picks one of a and b by itself, or lets its environment pick.
EventSystem choice(bool internal) {
  EventSystem system;
  if (internal) {
    system.tau(0, 1);
    system.tau(0, 2);
    system.event(1, "a", 3);
    system.event(2, "b", 3);
  } else {
    system.event(0, "a", 1);
    system.event(0, "b", 1);
  }
  return system;
}

TEST(Refines, ASystemRefinesItself) {
  for (const Semantics semantics : kAll) {
    const Outcome outcome = check(in_turn(), in_turn(), semantics);
    EXPECT_EQ(outcome.answer, Answer::kHolds);
    EXPECT_EQ(outcome.statistics.states, 2u);
    EXPECT_EQ(outcome.statistics.pairs, 2u);
    EXPECT_EQ(outcome.statistics.transitions, 2u);
    EXPECT_EQ(outcome.statistics.specification_states, 2u);
    EXPECT_FALSE(outcome.path);
  }
}

TEST(Refines, AnEventThatIsNotAllowedIsShownWithWhatIs) {
  EventSystem system;
  system.event(0, "a", 1);
  system.tau(1, 2);
  system.event(2, "a", 0);
  const Outcome outcome = check(system, in_turn(), Semantics::kTraces);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(words(outcome), "the specification does not allow 'a' here");
  EXPECT_EQ(report::details_of(*outcome.failure, {}),
            std::vector<std::string>{"the specification allows here: b"});
  ASSERT_TRUE(outcome.path);
  EXPECT_EQ(EventSystem::words(*outcome.path), "a tau a");
}

TEST(Refines, TheEndOfAProcessIsAStepLikeAnyOther) {
  EventSystem ends, stops;
  ends.event(0, "a", 1);
  ends.terminate(1, 2);
  stops.event(0, "a", 1);
  const Outcome outcome = check(ends, stops, Semantics::kTraces);
  EXPECT_EQ(words(outcome),
            "the specification does not allow 'terminate' here");
  EXPECT_EQ(report::details_of(*outcome.failure, {}),
            std::vector<std::string>{"the specification allows here: nothing"});
  EXPECT_EQ(check(stops, ends, Semantics::kTraces).answer, Answer::kHolds);
  EXPECT_EQ(check(stops, ends, Semantics::kFailures).answer, Answer::kViolated);
}

TEST(Refines, AnInternalChoiceRefusesMoreThanAnExternalOne) {
  EXPECT_EQ(check(choice(true), choice(false), Semantics::kTraces).answer,
            Answer::kHolds);
  const Outcome outcome =
      check(choice(true), choice(false), Semantics::kFailures);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(words(outcome),
            "the implementation refuses more than the specification: b");
  EXPECT_EQ(
      report::details_of(*outcome.failure, {}),
      (std::vector<std::string>{"the implementation accepts only: a",
                                "the specification accepts at least: a, b"}));
  ASSERT_TRUE(outcome.path);
  EXPECT_EQ(EventSystem::words(*outcome.path), "tau");
  EXPECT_EQ(check(choice(false), choice(true), Semantics::kFailures).answer,
            Answer::kHolds);
}

TEST(Refines, ARefusalIsNearerThanAnEventOfTheSameLevel) {
  EventSystem system, specification;
  system.event(0, "a", 1);
  system.event(0, "b", 2);
  system.event(1, "z", 0);
  specification.event(0, "a", 1);
  specification.event(0, "b", 0);
  for (const auto store : {Options::Store::kExact, Options::Store::kCompact}) {
    Options options;
    options.store = store;
    const Outcome outcome =
        check(system, specification, Semantics::kFailures, options);
    ASSERT_TRUE(outcome.path);
    EXPECT_EQ(EventSystem::words(*outcome.path), "b");
  }
}

TEST(Refines, ADivergenceIsALasso) {
  EventSystem system;
  system.event(0, "a", 1);
  system.event(1, "b", 0);
  system.tau(1, 2);
  system.tau(2, 3);
  system.tau(3, 2);
  EXPECT_EQ(check(system, in_turn(), Semantics::kFailures).answer,
            Answer::kHolds);
  const Outcome outcome =
      check(system, in_turn(), Semantics::kFailuresDivergences);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_FALSE(outcome.path);
  ASSERT_TRUE(outcome.lasso);
  EXPECT_EQ(EventSystem::words(outcome.lasso->path), "a tau tau tau");
  EXPECT_EQ(outcome.lasso->back_to, 2u);
  EXPECT_EQ(check(in_turn(), system, Semantics::kFailuresDivergences).answer,
            Answer::kHolds);
}

TEST(Refines, WhereTheSpecificationDivergesAllIsAllowed) {
  EventSystem chaos, system;
  chaos.tau(0, 0);
  system.event(0, "a", 1);
  EXPECT_EQ(check(system, chaos, Semantics::kFailuresDivergences).answer,
            Answer::kHolds);
  EXPECT_EQ(check(system, chaos, Semantics::kTraces).answer, Answer::kViolated);
  // It has no failures, for it is never stable.
  const Outcome outcome = check(EventSystem(), chaos, Semantics::kFailures);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(words(outcome),
            "the implementation comes to rest where the specification never "
            "does");
}

TEST(Refines, AFaultOfEitherSideLeavesTheAnswerOpen) {
  EventSystem system = in_turn();
  system.event(0, "c", 2);
  system.goes_wrong(2, 1);
  EventSystem wide = in_turn();
  wide.event(0, "c", 2);
  const Outcome outcome = check(system, wide, Semantics::kTraces);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.reason, "the model goes wrong: fault 1");
  ASSERT_TRUE(outcome.path);
  EXPECT_EQ(EventSystem::words(*outcome.path), "c fault");
  EXPECT_EQ(check(wide, system, Semantics::kTraces).reason,
            "the specification goes wrong: fault 1");
  // A shorter violation comes first.
  EXPECT_EQ(check(system, in_turn(), Semantics::kTraces).answer,
            Answer::kViolated);
}

TEST(Refines, StopsAtItsLimits) {
  EventSystem line;
  for (std::size_t i = 0; i < 5'000; ++i) line.event(i, "a", i + 1);
  Options options;
  options.state_limit = 100;
  const Outcome outcome = check(line, line, Semantics::kFailures, options);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.reason,
            "the limit of 100 states was reached in the specification");
  EventSystem short_one;
  short_one.event(0, "a", 0);
  EXPECT_EQ(check(line, short_one, Semantics::kTraces, options).reason,

            "the limit of 100 states was reached after 100 states");
  Budget budget(Budget::Clock::now(), SIZE_MAX);
  EXPECT_EQ(refines(line, line, Semantics::kTraces, {}, budget).answer,
            Answer::kUnknown);
}

TEST(Refines, WhatABoundOfOursCutsOffIsNotKnown) {
  EventSystem system = in_turn();
  system.add_bound({"3 cells", false, "raise 'cells'"});
  system.cut(1, 0);
  const Outcome outcome = check(system, in_turn(), Semantics::kTraces);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.reason, "the bound of 3 cells was reached");
  EventSystem other = in_turn();
  other.event(1, "c", 0);
  EXPECT_EQ(check(other, system, Semantics::kTraces).reason,
            "the specification's bound of 3 cells was reached");
}

// What is wrong with a violation, or "".
std::string fault_of(const Outcome& outcome, const EventSystem& implementation,
                     const EventSystem& specification, Semantics semantics) {
  const lts::Path& path = outcome.lasso ? outcome.lasso->path : *outcome.path;
  if (!is_run_of(path, implementation)) return "it is not a run";
  const oracle::Trace trace = oracle::trace_of(path);
  const auto right = oracle::states_after(specification, trace);
  if (outcome.lasso) {
    const std::size_t from = outcome.lasso->back_to;
    if (path.states[from] != path.states.back()) return "it is not a lasso";
    for (std::size_t i = from; i < path.size(); ++i) {
      if (path.labels[i].kind != lts::LabelKind::kInternal) return "not tau";
    }
    if (from == path.size()) return "an empty cycle";
    return oracle::may_diverge(specification, right) ? "it may diverge" : "";
  }
  if (right.empty()) return "";
  if (semantics == Semantics::kTraces) return "the trace is allowed";
  const auto last = implementation.decode(path.states.back());
  std::set<std::string> refusal = oracle::alphabet(implementation);
  refusal.merge(oracle::alphabet(specification));
  for (const auto& step : implementation.state(last).transitions) {
    lts::Path one;
    one.labels = {step.label};
    for (const auto& name : oracle::trace_of(one)) refusal.erase(name);
  }
  if (!oracle::may_refuse(implementation, {last}, refusal)) return "unstable";
  return oracle::may_refuse(specification, right, refusal)
             ? "the refusal is allowed"
             : "";
}

TEST(Refines, AgreesWithTheDefinitionOnRandomSystems) {
  std::mt19937 random(7101);
  std::size_t violated[3] = {}, held[3] = {}, diverged = 0;
  for (int round = 0; round < 800; ++round) {
    RandomEvents wanted;
    wanted.states = 2 + random() % 4;
    wanted.steps = wanted.states + random() % 6;
    wanted.taus = round % 3 == 0 ? 0.5 : 0.25;
    const EventSystem left = random_event_system(wanted, random);
    wanted.steps += random() % 8;
    const EventSystem right = random_event_system(wanted, random);
    for (const Semantics semantics : kAll) {
      const auto index = static_cast<std::size_t>(semantics);
      const bool expected = oracle::refines(left, right, semantics);
      Options options;
      options.threads = 1 + static_cast<std::size_t>(round) % 3;
      options.states_alone = 1;
      const Outcome outcome = check(left, right, semantics, options);
      ASSERT_EQ(outcome.answer, expected ? Answer::kHolds : Answer::kViolated)
          << "round " << round << ", " << index << ": " << outcome.reason;
      ++(expected ? held : violated)[index];
      if (expected) continue;
      ASSERT_EQ(fault_of(outcome, left, right, semantics), "")
          << "round " << round << ", " << index;
      diverged += outcome.lasso ? 1u : 0u;
      const std::size_t length =
          *oracle::shortest_violation(left, right, semantics);
      // The cycle of a divergence may be longer.
      if (outcome.lasso) continue;
      ASSERT_EQ(outcome.path->size(), length) << "round " << round;
      options.store = Options::Store::kCompact;
      const Outcome lossy = check(left, right, semantics, options);
      ASSERT_EQ(lossy.answer, Answer::kViolated) << "round " << round;
      if (lossy.lasso) continue;
      ASSERT_EQ(lossy.path->size(), length) << "round " << round;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(violated[i], 100u);
    EXPECT_GT(held[i], 60u);
  }
  EXPECT_GT(diverged, 20u);
}

}  // namespace
}  // namespace plumb::assertions
