// SPDX-License-Identifier: Apache-2.0
#include "support/random_formulas.h"

#include <utility>

namespace plumb::testing {
namespace {

using ltl::Formula;
using ltl::FormulaPtr;
using ltl::Operator;

std::size_t below(std::size_t bound, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

FormulaPtr make(std::size_t atoms, std::size_t operators,
                std::mt19937& random) {
  if (operators == 0) {
    const std::size_t pick = below(atoms * 6 + 1, random);
    if (pick == atoms * 6) {
      return std::make_shared<const Formula>(
          Formula{below(2, random) == 0 ? Operator::kTrue : Operator::kFalse, 0,
                  nullptr, nullptr});
    }
    return std::make_shared<const Formula>(
        Formula{Operator::kAtom, pick % atoms, nullptr, nullptr});
  }
  constexpr Operator kUnary[] = {Operator::kNot, Operator::kNext,
                                 Operator::kAlways, Operator::kEventually};
  constexpr Operator kBinary[] = {Operator::kAnd,     Operator::kOr,
                                  Operator::kImplies, Operator::kIff,
                                  Operator::kUntil,   Operator::kRelease};
  if (below(2, random) == 0) {
    return std::make_shared<const Formula>(
        Formula{kUnary[below(4, random)], 0, make(atoms, operators - 1, random),
                nullptr});
  }
  const std::size_t left = below(operators, random);
  FormulaPtr first = make(atoms, left, random);
  FormulaPtr second = make(atoms, operators - 1 - left, random);
  return std::make_shared<const Formula>(
      Formula{kBinary[below(6, random)], 0, first, second});
}

}  // namespace

ltl::Property random_formula(std::size_t atoms, std::size_t operators,
                             std::mt19937& random) {
  ltl::Property property;
  for (std::size_t i = 0; i < atoms; ++i) {
    property.atoms.push_back(
        {std::string(1, static_cast<char>('a' + i)), false, {}});
  }
  property.formula = make(atoms, operators, random);
  return property;
}

ltl::Word random_word(std::size_t atoms, std::size_t most,
                      std::mt19937& random) {
  ltl::Word word;
  word.letters.resize(1 + below(most, random));
  for (ltl::Letter& letter : word.letters) {
    letter = below(std::size_t{1} << atoms, random);
  }
  word.loop_to = below(word.letters.size(), random);
  return word;
}

}  // namespace plumb::testing
