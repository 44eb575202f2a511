// SPDX-License-Identifier: Apache-2.0
#include "ltl/automaton.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "base/input_error.h"
#include "oracle/temporal.h"
#include "support/random_formulas.h"

namespace plumb::ltl {
namespace {

using testing::formula;
using testing::random_formula;
using testing::random_word;

Automaton automaton_of(const Property& property, bool negated = false) {
  Budget budget;
  return *translate(*property.formula, negated, budget);
}

struct Expected {
  const char* formula;
  std::size_t states;
  bool is_decided_by_prefixes;
};

TEST(Automaton, OfACommonFormulaIsSmall) {
  const Expected all[] = {
      {"true", 1, true},
      {"false", 1, true},
      {"a", 2, true},
      {"<> a", 2, true},
      {"[] a", 1, false},
      {"a U b", 2, true},
      {"X X a", 4, true},
      {"[] <> a", 1, false},
      {"<> [] a", 2, false},
      {"[] (a -> <> b)", 2, false},
      {"<> (a && [] !b)", 2, false},
      {"[]<> a && []<> b && []<> c", 1, false},
      {"a R b", 2, false},
      {"<> a && <> b && <> c", 8, true},
      {"<> a && [] !a", 1, true},
      {"!([]<> a -> []<> b)", 2, false},
  };
  for (const Expected& expected : all) {
    const Automaton automaton = automaton_of(formula(expected.formula));
    EXPECT_EQ(automaton.size(), expected.states) << expected.formula;
    EXPECT_EQ(automaton.is_decided_by_prefixes(),
              expected.is_decided_by_prefixes)
        << expected.formula;
  }
}

TEST(Automaton, OfAContradictionIsEmpty) {
  EXPECT_TRUE(automaton_of(formula("<> a && [] !a")).is_empty());
  EXPECT_TRUE(automaton_of(formula("a U b <-> (b || (a && X (a U b)))"), true)
                  .is_empty());
  EXPECT_FALSE(automaton_of(formula("<> a")).is_empty());
  EXPECT_FALSE(automaton_of(formula("true")).is_empty());
}

TEST(Automaton, AcceptsJustTheWordsOfItsFormula) {
  std::mt19937 random(7001);
  std::size_t accepted = 0, largest = 0;
  for (int round = 0; round < 1'500; ++round) {
    const Property property =
        random_formula(1 + random() % 3, 1 + random() % 7, random);
    const bool negated = random() % 2 == 0;
    const Automaton automaton = automaton_of(property, negated);
    largest = std::max(largest, automaton.size());
    for (int i = 0; i < 8; ++i) {
      const Word word = random_word(3, 5, random);
      const bool expected = oracle::holds(*property.formula, word) != negated;
      ASSERT_EQ(holds_on(*property.formula, word) != negated, expected)
          << to_string(property) << ", round " << round;
      if (automaton.size() > 40) continue;
      ASSERT_EQ(oracle::accepts(automaton, word), expected)
          << to_string(property) << ", round " << round;
      accepted += expected ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 3'000u);
  EXPECT_GT(largest, 10u);
}

TEST(Automaton, AWordIsAcceptedOnceAllAcceptingStatesAreReached) {
  std::mt19937 random(7002);
  for (int round = 0; round < 1'000; ++round) {
    const Property property = random_formula(2, 1 + random() % 5, random);
    const Automaton automaton = automaton_of(property);
    for (std::uint32_t state = 0; state < automaton.size(); ++state) {
      if (!automaton.accepts_all(state)) continue;
      Automaton from_here = automaton;
      // A new first state with the same transitions as this one.
      from_here.states.insert(from_here.states.begin(),
                              automaton.states[state]);
      for (auto& steps : from_here.states) {
        for (auto& step : steps) ++step.target;
      }
      for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(oracle::accepts(from_here, random_word(2, 4, random)))
            << to_string(property);
      }
    }
  }
}

TEST(Automaton, ATranslationEndsWhenTheBudgetIsSpent) {
  std::string text = "true";
  for (int i = 0; i < 30; ++i) {
    text +=
        " && <>(a" + std::to_string(i) + " && X <>b" + std::to_string(i) + ")";
  }
  const Property property = formula(text);
  Budget budget(Budget::Clock::now() + std::chrono::milliseconds(100),
                SIZE_MAX);
  EXPECT_FALSE(translate(*property.formula, false, budget));
}

TEST(Automaton, MoreThan64UntilsAreTooMany) {
  std::string text = "true";
  for (int i = 0; i < 33; ++i) {
    const std::string n = std::to_string(i);
    text += " && (a U <>(b && X(a" + n + " U X a" + n + ")))";
  }
  const Property property = formula(text);
  Budget budget;
  EXPECT_THROW(translate(*property.formula, false, budget), InputError);
}

}  // namespace
}  // namespace plumb::ltl
