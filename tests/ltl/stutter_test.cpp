// SPDX-License-Identifier: Apache-2.0
#include "ltl/stutter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

#include "support/random_formulas.h"

namespace plumb::ltl {
namespace {

using testing::formula;
using testing::random_formula;
using testing::random_word;

// The word with one letter twice, or with an empty one behind a letter.
Word slower(const Word& word, bool repeats, std::mt19937& random) {
  Word other = word;
  for (int times = 0; times < 3; ++times) {
    const std::size_t at = random() % other.letters.size();
    const Letter added = repeats ? other.letters[at] : 0;
    other.letters.insert(
        other.letters.begin() + static_cast<std::ptrdiff_t>(at) + 1, added);
    if (at < other.loop_to) ++other.loop_to;
  }
  return other;
}

TEST(Stutter, CommonFormulasAboutEventsIgnoreEmptyLetters) {
  for (const std::string text :
       {"[] (a -> <> b)", "[]<> a", "<> a", "[] !a", "<>[] !a", "!a U b",
        "[] (a -> [] !b)", "[]<> a -> []<> b", "!(<> a) || (!a U b)", "a R !b",
        "[] (a -> (!b U c))", "a"}) {
    EXPECT_TRUE(ignores_empty_letters(*formula(text).formula)) << text;
  }
}

TEST(Stutter, WhatSpeaksOfTheVeryNextLetterDoesNot) {
  for (const std::string text :
       {"[] a", "a U b", "[] (a -> X b)", "<> (a && X a)", "[] (a || b)",
        "<> !a", "[] (a -> (a U b))", "[] (a -> <> [] b)", "<> (<> a && !b)"}) {
    EXPECT_FALSE(ignores_empty_letters(*formula(text).formula)) << text;
  }
}

TEST(Stutter, OnlyXTellsHowOftenALetterComes) {
  EXPECT_TRUE(ignores_repetition(*formula("[] (a -> (a U b))").formula));
  EXPECT_FALSE(ignores_repetition(*formula("[] (a -> X b)").formula));
}

TEST(Stutter, WhatIgnoresThemHasTheSameValueWithThem) {
  std::mt19937 random(1);
  std::size_t empty = 0, repeated = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Property property = random_formula(3, 1 + random() % 8, random);
    const Formula& f = *property.formula;
    Word word = random_word(3, 6, random);
    if (ignores_repetition(f)) {
      ++repeated;
      ASSERT_EQ(holds_on(f, word), holds_on(f, slower(word, true, random)))
          << to_string(property);
    }
    if (!ignores_empty_letters(f)) continue;
    ++empty;
    word.letters[0] = 0;
    ASSERT_EQ(holds_on(f, word), holds_on(f, slower(word, false, random)))
        << to_string(property);
  }
  EXPECT_GT(empty, 2'000u);
  EXPECT_GT(repeated, 5'000u);
}

}  // namespace
}  // namespace plumb::ltl
