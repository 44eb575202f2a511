// SPDX-License-Identifier: Apache-2.0
// Assertions about systems of events against their definitions.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "assertions/assertions.h"
#include "ltl/automaton.h"
#include "oracle/fair_runs.h"
#include "oracle/refinement.h"
#include "oracle/temporal.h"
#include "support/event_system.h"
#include "support/random_formulas.h"

namespace plumb::testing {
namespace {

using assertions::Fairness;
using assertions::Outcome;
using assertions::Semantics;
using assertions::Temporal;
using check::Answer;

constexpr Fairness kFairness[] = {
    Fairness::kNone,        Fairness::kWeakEvent,     Fairness::kStrongEvent,
    Fairness::kWeakProcess, Fairness::kStrongProcess, Fairness::kStrongGlobal};

// Atoms: being in an odd state, just after a, just after b.
Temporal random_question(const EventSystem& system, Fairness fairness,
                         ltl::FormulaPtr formula) {
  const auto event = [](const char* name) {
    return assertions::Proposition{nullptr, [name](const lts::Label& label) {
                                     return label.kind ==
                                                lts::LabelKind::kEvent &&
                                            label.value.as_text() == name;
                                   }};
  };
  const assertions::Proposition odd{
      [&system](lts::StateView state) { return system.decode(state) % 2 == 1; },
      nullptr};
  return {std::move(formula), {odd, event("a"), event("b")}, fairness};
}

TEST(RandomAssertions, FairRunsAreThoseOfSomeSetThatIsRepeated) {
  std::mt19937 random(7501);
  std::size_t held[6] = {}, violated[6] = {};
  for (int round = 0; round < 1'500; ++round) {
    RandomEvents wanted;
    wanted.processes = 1 + random() % 3;
    wanted.states = 2 + random() % 4;
    wanted.steps = wanted.states + random() % 6;
    wanted.taus = 0.25;
    wanted.terminations = 0.05;
    const EventSystem system = random_event_system(wanted, random);
    const ltl::Property property = random_formula(3, 1 + random() % 5, random);
    Budget budget;
    const auto automaton = ltl::translate(*property.formula, true, budget);
    for (const Fairness fairness : kFairness) {
      const auto index = static_cast<std::size_t>(fairness);
      const Temporal question =
          random_question(system, fairness, property.formula);
      const auto expected =
          oracle::has_fair_run(system, question, *automaton, 11);
      if (!expected) continue;
      const Outcome outcome =
          assertions::satisfies(system, question, {}, budget);
      ASSERT_EQ(outcome.answer, *expected ? Answer::kViolated : Answer::kHolds)
          << "round " << round << ", fairness " << index << ": "
          << to_string(property);
      ++(*expected ? violated : held)[index];
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_GT(violated[i], 400u) << i;
    EXPECT_GT(held[i], 200u) << i;
  }
}

TEST(RandomAssertions, RefinementIsThatOfTheDefinition) {
  std::mt19937 random(7502);
  std::size_t held = 0, violated = 0;
  for (int round = 0; round < 3'000; ++round) {
    RandomEvents wanted;
    wanted.states = 3 + random() % 5;
    wanted.steps = wanted.states + random() % 10;
    wanted.taus = 0.1 * static_cast<double>(random() % 6);
    wanted.names = 1 + random() % 3;
    const EventSystem left = random_event_system(wanted, random);
    wanted.steps += random() % 12;
    const EventSystem right = random_event_system(wanted, random);
    for (const Semantics semantics : {Semantics::kTraces, Semantics::kFailures,
                                      Semantics::kFailuresDivergences}) {
      Budget budget;
      const Outcome outcome =
          assertions::refines(left, right, semantics, {}, budget);
      const bool expected = oracle::refines(left, right, semantics);
      ASSERT_EQ(outcome.answer, expected ? Answer::kHolds : Answer::kViolated)
          << "round " << round << ", " << static_cast<int>(semantics);
      ++(expected ? held : violated);
      if (expected || outcome.lasso) continue;
      ASSERT_EQ(outcome.path->size(),
                *oracle::shortest_violation(left, right, semantics))
          << "round " << round << ", " << static_cast<int>(semantics);
    }
  }
  EXPECT_GT(held, 800u);
  EXPECT_GT(violated, 2'000u);
}

TEST(RandomAssertions, AutomataAcceptTheWordsOfLargerFormulas) {
  std::mt19937 random(7503);
  std::size_t accepted = 0;
  for (int round = 0; round < 4'000; ++round) {
    const ltl::Property property =
        random_formula(1 + random() % 4, 4 + random() % 9, random);
    const bool negated = random() % 2 == 0;
    Budget budget;
    const auto automaton = ltl::translate(*property.formula, negated, budget);
    if (automaton->size() > 30) continue;
    for (int i = 0; i < 6; ++i) {
      const ltl::Word word = random_word(4, 5, random);
      const bool expected = holds_on(*property.formula, word) != negated;
      ASSERT_EQ(oracle::accepts(*automaton, word), expected)
          << to_string(property) << ", round " << round;
      accepted += expected ? 1u : 0u;
    }
  }
  EXPECT_GT(accepted, 5'000u);
}

}  // namespace
}  // namespace plumb::testing
