// SPDX-License-Identifier: Apache-2.0
#include "ltl/parse.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/input_error.h"
#include "support/random_formulas.h"

namespace plumb::ltl {
namespace {

using testing::formula;
using testing::random_formula;

TEST(ParseFormula, OperatorsBindAsUsual) {
  const std::pair<const char*, const char*> all[] = {
      {"a || b && c", "a || b && c"},
      {"(a || b) && c", "(a || b) && c"},
      {"a -> b -> c", "a -> (b -> c)"},
      {"a <-> b <-> c", "(a <-> b) <-> c"},
      {"a U b U c", "a U (b U c)"},
      {"!a U b && c", "!a U b && c"},
      {"!(a U b)", "!(a U b)"},
      {"[]<>a -> <>[]b", "[]<>a -> <>[]b"},
      {"G F a /\\ F(G b) \\/ c", "[]<>a && <>[]b || c"},
      {"a V b", "a R b"},
      {"X X a", "X X a"},
      {"[](p -> <> q)", "[](p -> <>q)"},
      {"true U false", "true U false"},
  };
  for (const auto& [text, expected] : all) {
    EXPECT_EQ(to_string(formula(text)), expected);
  }
}

TEST(ParseFormula, AnAtomIsANameWithFieldsOrArgumentsOrInQuotes) {
  const std::string text =
      "[](eat.0 -> <> get.(i + 1).-2) && \"c! 1\" || inv (0, read, 1) || X.3 "
      "|| eat.0";
  const Property property = formula(text);
  ASSERT_EQ(property.atoms.size(), 5u);
  EXPECT_EQ(property.atoms[0].text, "eat.0");
  EXPECT_EQ(property.atoms[1].text, "get.(i+1).-2");
  EXPECT_EQ(property.atoms[2].text, "c!1");
  EXPECT_TRUE(property.atoms[2].quoted);
  EXPECT_EQ(property.atoms[3].text, "inv(0,read,1)");
  EXPECT_EQ(property.atoms[4].text, "X.3");
  EXPECT_FALSE(property.atoms[4].quoted);
  EXPECT_EQ(
      text.substr(property.atoms[3].span.begin, property.atoms[3].span.length),
      "inv (0, read, 1)");
}

TEST(ParseFormula, ReadsAPartOfASourceAndPassesOverComments) {
  const std::string text = "#assert P |= [] a /* b */ // c\n -> d; x";
  const text::Source source("m.csp", text);
  const Property property =
      parse(source, {13, static_cast<std::uint32_t>(text.find(';') - 13)});
  EXPECT_EQ(to_string(property), "[]a -> d");
  EXPECT_EQ(source.text(property.atoms[1].span), "d");
}

TEST(ParseFormula, CommentsAreNoPartOfAtoms) {
  for (const char* text :
       {"ab //\n (c) U d", "ab /* ) */ (c) U d", "ab( /* ) */ c // )\n) U d"}) {
    EXPECT_EQ(to_string(formula(text)), "ab(c) U d") << text;
  }
  EXPECT_EQ(to_string(formula("\"a//b\" U c")), "\"a//b\" U c");
}

TEST(ParseFormula, SaysWhereToolsDiffer) {
  EXPECT_EQ(formula("a || b && c").remarks.size(), 1u);
  EXPECT_EQ(formula("a U b U c").remarks.size(), 1u);
  EXPECT_EQ(formula("a R (b && c)").remarks.size(), 0u);
  EXPECT_EQ(formula("a && b || c").remarks.size(), 0u);
  EXPECT_EQ(formula("a || (b && c)").remarks.size(), 0u);
  EXPECT_EQ(formula("a && b U c").remarks.size(), 0u);
  EXPECT_EQ(formula("a && b && c || d || e").remarks.size(), 0u);
}

// What is wrong with a formula, and which column it is in.
std::string error_of(const std::string& text) {
  try {
    formula(text);
  } catch (const InputError& error) {
    return std::to_string(error.place().column) + ": " + error.what();
  }
  return "";
}

TEST(ParseFormula, ErrorsHaveAPlace) {
  EXPECT_EQ(error_of(""), "1: expected a formula, found the end");
  EXPECT_EQ(error_of("[] (a"), "4: this parenthesis is never closed");
  EXPECT_EQ(error_of("a)"), "2: there is no '(' for this ')'");
  EXPECT_EQ(error_of("a b"), "3: expected an operator, found 'b'");
  EXPECT_EQ(error_of("(a b)"), "4: expected an operator or ')', found 'b'");
  EXPECT_EQ(error_of("a && || b"), "6: expected a formula, found '||'");
  EXPECT_EQ(error_of("a U"), "4: expected a formula, found the end");
  EXPECT_EQ(error_of("()"), "2: expected a formula, found ')'");
  EXPECT_EQ(error_of("a & b"), "3: '&' cannot stand in a formula");
  EXPECT_EQ(error_of("<> 3"), "4: '3' cannot stand in a formula");
  EXPECT_EQ(error_of("\"c!1"), "1: these quotes are never closed");
  EXPECT_EQ(error_of("[] \"\""), "4: there is no event between these quotes");
  EXPECT_EQ(error_of("eat."),
            "4: a field of the event is missing after this "
            "'.'");
  EXPECT_EQ(error_of("inv(read"), "4: this parenthesis is never closed");
}

TEST(ParseFormula, WhatIsTooLargeIsAnError) {
  const std::string deep(600, '(');
  EXPECT_EQ(error_of(deep + "a" + std::string(600, ')')),
            "501: more than 500 operators lie one inside the other");
  EXPECT_EQ(error_of(std::string(600, '!') + "a"),
            "500: more than 500 operators lie one inside the other");
  std::string many = "a0", long_one = "a";
  for (int i = 1; i < 65; ++i) many += " || a" + std::to_string(i);
  EXPECT_EQ(error_of(many),
            std::to_string(many.size() - 2) +
                ": a formula may have 64 different atoms at most");
  for (int i = 0; i < 6'000; ++i) long_one += "&&a";
  EXPECT_NE(error_of(long_one).find("10000 operators and atoms at most"),
            std::string::npos);
}

TEST(ParseFormula, WhatIsPrintedIsReadAsTheSame) {
  std::mt19937 random(7003);
  for (int round = 0; round < 500; ++round) {
    const Property property = random_formula(3, 1 + random() % 12, random);
    const std::string text = to_string(property);
    const Property again = formula(text);
    EXPECT_EQ(to_string(again), text);
  }
}

}  // namespace
}  // namespace plumb::ltl
