// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "lts/path.h"
#include "oracle/runs.h"
#include "oracle/temporal.h"
#include "support/event_system.h"
#include "support/random_formulas.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using testing::EventSystem;
using testing::formula;
using testing::random_event_system;
using testing::random_formula;
using testing::RandomEvents;

constexpr Fairness kAll[] = {Fairness::kNone,          Fairness::kWeakEvent,
                             Fairness::kStrongEvent,   Fairness::kWeakProcess,
                             Fairness::kStrongProcess, Fairness::kStrongGlobal};

Proposition event(const std::string& name) {
  return {nullptr, [name](const lts::Label& label) {
            return label.kind == lts::LabelKind::kEvent &&
                   label.value.as_text() == name;
          }};
}

// Atoms called s0, s1, ... are states, all others events.
Temporal temporal(const EventSystem& system, const std::string& text,
                  Fairness fairness = Fairness::kNone) {
  const ltl::Property property = formula(text);
  Temporal out{property.formula, {}, fairness};
  for (const ltl::Atom& atom : property.atoms) {
    if (atom.text[0] != 's') {
      out.atoms.push_back(event(atom.text));
      continue;
    }
    const std::size_t number = std::stoul(atom.text.substr(1));
    out.atoms.push_back({[&system, number](lts::StateView state) {
                           return system.decode(state) == number;
                         },
                         nullptr});
  }
  return out;
}

Outcome check(const EventSystem& system, const Temporal& question,
              const Options& options = {}) {
  Budget budget;
  return satisfies(system, question, options, budget);
}
Outcome check(const EventSystem& system, const std::string& text,
              Fairness fairness = Fairness::kNone) {
  return check(system, temporal(system, text, fairness));
}

// Two processes that take turns as they like: process 0 does a, process 1 b.
EventSystem two_loops() {
  EventSystem system;
  system.event(0, "a", 0, 1);
  system.event(0, "b", 0, 2);
  return system;
}

TEST(Satisfies, AnEventHoldsJustAfterItHappened) {
  EventSystem system;
  system.event(0, "a", 1);
  system.tau(1, 2);
  system.event(2, "b", 3);
  system.event(3, "b", 3);
  EXPECT_EQ(check(system, "!a && X a && X X (!a && !b) && X X X b").answer,
            Answer::kHolds);
  EXPECT_EQ(check(system, "[] (a -> <> b)").answer, Answer::kHolds);
  EXPECT_EQ(check(system, "<>[] b").answer, Answer::kHolds);
  EXPECT_EQ(check(system, "[]<> a").answer, Answer::kViolated);
}

TEST(Satisfies, AnInvariantIsRefutedByAShortestPath) {
  EventSystem system;
  system.event(0, "c", 1);
  system.event(1, "c", 2);
  system.event(2, "a", 3);
  system.event(0, "b", 2);
  const Outcome outcome = check(system, "[] !s3");
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "a run does not satisfy the formula");
  EXPECT_EQ(outcome.statistics.method, "bad prefixes");
  ASSERT_TRUE(outcome.path);
  EXPECT_FALSE(outcome.lasso);
  EXPECT_EQ(EventSystem::words(*outcome.path), "b a");
  EXPECT_EQ(check(system, "[] !s0").path->size(), 0u);
}

TEST(Satisfies, AStuckStateStaysWithoutEvents) {
  EventSystem system;
  system.event(0, "a", 1);
  EXPECT_EQ(check(system, "<>[] (s1 && !a)").answer, Answer::kHolds);
  const Outcome outcome = check(system, "[]<> a");
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  ASSERT_TRUE(outcome.lasso);
  EXPECT_EQ(outcome.lasso->back_to, 1u);
  EXPECT_EQ(outcome.lasso->path.size(), 1u);
  // What a finite part shows may need moments after the last step.
  const Outcome late = check(system, "X (a -> X a)");
  EXPECT_EQ(late.answer, Answer::kViolated);
  EXPECT_FALSE(late.path);
  ASSERT_TRUE(late.lasso);
  EXPECT_EQ(late.lasso->back_to, 1u);
}

TEST(Satisfies, WhatABoundCutsOffIsNotStuck) {
  EventSystem system;
  system.add_bound({"3 cells", true, ""});
  system.event(0, "a", 1);
  system.cut(1, 0);
  EXPECT_EQ(check(system, "[]<> a").answer, Answer::kHolds);
  EXPECT_EQ(check(system, "X (a -> X a)").answer, Answer::kHolds);
  EXPECT_EQ(check(system, "[]<> a").bounds_met,
            std::vector<std::string>{"3 cells"});
}

TEST(Satisfies, ALassoIsShort) {
  EventSystem system;
  system.tau(0, 1);
  system.event(1, "a", 2);
  system.tau(2, 3);
  system.tau(3, 2);
  system.event(3, "b", 0);
  const Outcome outcome = check(system, "[](a -> <> b)");
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  ASSERT_TRUE(outcome.lasso);
  EXPECT_EQ(EventSystem::words(outcome.lasso->path), "tau a tau tau");
  EXPECT_EQ(outcome.lasso->back_to, 2u);
  EXPECT_EQ(outcome.statistics.states, 4u);
  EXPECT_EQ(outcome.statistics.transitions, 5u);
}

TEST(Satisfies, OfSeveralBadCyclesTheNearestIsShown) {
  EventSystem near_first, far_first;
  for (EventSystem* system : {&near_first, &far_first}) {
    const bool is_near_first = system == &near_first;
    system->event(0, "n", is_near_first ? 1 : 2);
    system->event(0, "f", is_near_first ? 2 : 1);
    system->event(is_near_first ? 1 : 2, "b", is_near_first ? 1 : 2);
    system->event(is_near_first ? 2 : 1, "f", 3);
    system->event(3, "f", 4);
    system->event(4, "b", 4);
    const Outcome outcome = check(*system, "[]<> n");
    ASSERT_TRUE(outcome.lasso);
    EXPECT_EQ(EventSystem::words(outcome.lasso->path), "n b");
    EXPECT_EQ(outcome.lasso->back_to, 1u);
  }
}

TEST(Satisfies, FairnessLetsEachProcessStep) {
  for (const Fairness fairness : kAll) {
    EXPECT_EQ(check(two_loops(), "[]<>a && []<>b", fairness).answer,
              fairness == Fairness::kNone ? Answer::kViolated : Answer::kHolds)
        << static_cast<int>(fairness);
  }
}

TEST(Satisfies, StrongFairnessIsAboutWhatIsEnabledAgainAndAgain) {
  // b is possible now and then only.
  EventSystem system;
  system.event(0, "a", 1, 1);
  system.event(1, "c", 0, 1);
  system.event(1, "b", 1, 2);
  const char* text = "[]<>b";
  EXPECT_EQ(check(system, text, Fairness::kWeakProcess).answer,
            Answer::kViolated);
  EXPECT_EQ(check(system, text, Fairness::kWeakEvent).answer,
            Answer::kViolated);
  EXPECT_EQ(check(system, text, Fairness::kStrongProcess).answer,
            Answer::kHolds);
  EXPECT_EQ(check(system, text, Fairness::kStrongEvent).answer, Answer::kHolds);
  EXPECT_EQ(check(system, text, Fairness::kStrongGlobal).answer,
            Answer::kHolds);
}

TEST(Satisfies, GlobalFairnessTakesEachStepOfAState) {
  // The same event of the same process leads on, or back.
  EventSystem system;
  system.event(0, "a", 0, 1);
  system.event(0, "a", 1, 1);
  system.event(1, "b", 1, 1);
  EXPECT_EQ(check(system, "<> b", Fairness::kStrongEvent).answer,
            Answer::kViolated);
  EXPECT_EQ(check(system, "<> b", Fairness::kStrongGlobal).answer,
            Answer::kHolds);
  const Outcome outcome =
      check(two_loops(), "<>[] !a", Fairness::kStrongGlobal);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.lasso->path.size(), 2u);
}

TEST(Satisfies, WhoStepsMustBeKnown) {
  EventSystem system;
  system.event(0, "a", 0, 0);
  system.event(0, "b", 0, 2);
  const Outcome outcome = check(system, "[]<>a", Fairness::kWeakProcess);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.reason,
            "it is not known who takes part in some steps, so that a run may "
            "or may not be fair");
  EXPECT_EQ(check(system, "[]<>b", Fairness::kWeakProcess).answer,
            Answer::kHolds);
}

TEST(Satisfies, AFaultLeavesTheAnswerOpen) {
  for (const char* text : {"[] !c", "[]<> (a || c)"}) {
    EventSystem system = two_loops();
    system.event(0, "a", 1);
    system.goes_wrong(1, 2);
    Temporal question = temporal(system, text);
    question.fairness = Fairness::kStrongProcess;
    const Outcome outcome = check(system, question);
    EXPECT_EQ(outcome.answer, Answer::kUnknown);
    EXPECT_EQ(outcome.reason, "the model goes wrong: fault 2");
    ASSERT_TRUE(outcome.path);
    EXPECT_EQ(EventSystem::words(*outcome.path), "a fault");
    EXPECT_EQ(check(system, "[] !a").answer, Answer::kViolated);
    EXPECT_EQ(check(system, "[]<> !b").answer, Answer::kViolated);
  }
}

TEST(Satisfies, StopsAtItsLimits) {
  EventSystem line;
  for (std::size_t i = 0; i < 6'000; ++i) line.event(i, "a", i + 1);
  for (const char* text : {"[] !b", "[]<> !b"}) {
    Options options;
    options.state_limit = 100;
    const Outcome outcome = check(line, temporal(line, text), options);
    EXPECT_EQ(outcome.answer, Answer::kUnknown);
    EXPECT_EQ(outcome.reason,
              "the limit of 100 states was reached after 100 states");
    Budget budget(Budget::Clock::now(), SIZE_MAX);
    EXPECT_EQ(satisfies(line, temporal(line, text), {}, budget).answer,
              Answer::kUnknown);
  }
  // A part may be enough.
  line.event(50, "b", 50);
  Options options;
  options.state_limit = 100;
  EXPECT_EQ(check(line, temporal(line, "<>[] a"), options).answer,
            Answer::kViolated);
}

TEST(Satisfies, AViolationNearTheStartIsFoundEarly) {
  EventSystem line;
  for (std::size_t i = 0; i < 60'000; ++i) line.event(i, "a", i + 1);
  line.event(3, "b", 3);
  const Outcome outcome = check(line, "<>[] a");
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_LT(outcome.statistics.states, 5'000u);
}

TEST(Satisfies, ATautologyNeedsNoStates) {
  const Outcome outcome = check(two_loops(), "<>a || []!a");
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.states, 0u);
}

// A fair run of up to `most` steps that refutes the formula.
bool has_bad_lasso(const EventSystem& system, const Temporal& question,
                   std::size_t most) {
  bool found = false;
  oracle::each_lasso(system, most, [&](const lts::Lasso& lasso) {
    found = oracle::is_fair(lasso, system, question.fairness) &&
            !oracle::holds(*question.formula,
                           oracle::word_of(lasso, question.atoms));
    return !found;
  });
  return found;
}

// What is wrong with the evidence, or "".
std::string fault_of(const Outcome& outcome, const EventSystem& system,
                     const Temporal& question) {
  if (outcome.path) {
    if (!is_run_of(*outcome.path, system)) return "it is not a run";
    // Each lasso that begins so is bad.
    bool all_bad = true;
    oracle::each_lasso(
        system, outcome.path->size() + 3, [&](const lts::Lasso& lasso) {
          const auto& labels = outcome.path->labels;
          const auto& states = outcome.path->states;
          if (lasso.path.size() < labels.size()) return true;
          for (std::size_t i = 0; i < labels.size(); ++i) {
            if (labels[i] != lasso.path.labels[i] ||
                states[i + 1] != lasso.path.states[i + 1]) {
              return true;
            }
          }
          all_bad &= !oracle::holds(*question.formula,
                                    oracle::word_of(lasso, question.atoms));
          return all_bad;
        });
    return all_bad ? "" : "a run that begins so is good";
  }
  const lts::Lasso& lasso = *outcome.lasso;
  if (!is_run_of(lasso.path, system)) return "it is not a run";
  if (lasso.path.states[lasso.back_to] != lasso.path.states.back()) {
    return "it is not a lasso";
  }
  if (!oracle::is_fair(lasso, system, question.fairness)) return "not fair";
  return oracle::holds(*question.formula,
                       oracle::word_of(lasso, question.atoms))
             ? "the run is good"
             : "";
}

TEST(Satisfies, AgreesWithAllShortLassosOfRandomSystems) {
  std::mt19937 random(7201);
  std::size_t violated[6] = {}, held[6] = {};
  for (int round = 0; round < 150; ++round) {
    RandomEvents wanted;
    wanted.states = 2 + random() % 3;
    wanted.steps = wanted.states + random() % 4;
    wanted.taus = 0.2;
    const EventSystem system = random_event_system(wanted, random);
    const ltl::Property property = random_formula(3, 1 + random() % 5, random);
    for (const Fairness fairness : kAll) {
      const auto index = static_cast<std::size_t>(fairness);
      Temporal question = temporal(system, "s1 && a && b", fairness);
      question.formula = property.formula;
      Options options;
      options.threads = 1 + static_cast<std::size_t>(round) % 3;
      options.states_alone = 1;
      const Outcome outcome = check(system, question, options);
      ASSERT_NE(outcome.answer, Answer::kUnknown) << outcome.reason;
      const std::string what = "round " + std::to_string(round) + ", " +
                               std::to_string(index) + ": " +
                               to_string(property);
      if (outcome.answer == Answer::kViolated) {
        ASSERT_EQ(fault_of(outcome, system, question), "") << what;
        ++violated[index];
      } else {
        ASSERT_FALSE(has_bad_lasso(system, question, 6)) << what;
        ++held[index];
      }
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_GT(violated[i], 40u) << i;
    EXPECT_GT(held[i], 15u) << i;
  }
}

}  // namespace
}  // namespace plumb::assertions
