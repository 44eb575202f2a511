// SPDX-License-Identifier: Apache-2.0
// Formulas of linear temporal logic, as they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/source.h"

namespace plumb::ltl {

enum class Operator : std::uint8_t {
  kTrue,
  kFalse,
  kAtom,
  kNot,
  kAnd,
  kOr,
  kImplies,
  kIff,
  kNext,        // X
  kUntil,       // U
  kRelease,     // R, V
  kAlways,      // [], G
  kEventually,  // <>, F
};

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

// Unary operators have `left` only.
struct Formula {
  Operator op = Operator::kTrue;
  std::size_t atom = 0;  // kAtom: index into Property::atoms
  FormulaPtr left, right;
};

// What a formula speaks of: "eat.0", "inv(read)", or c!1 in quotes.
struct Atom {
  std::string text;  // without white space and quotes
  bool quoted = false;
  text::Span span;  // of its first occurrence
};

// Where people may read a formula differently.
struct Remark {
  text::Span span;
  std::string text;
};

// At most kMostAtoms atoms, each once.
struct Property {
  static constexpr std::size_t kMostAtoms = 64;

  FormulaPtr formula;
  std::vector<Atom> atoms;
  std::vector<Remark> remarks;
};

// With all the parentheses that it needs: "[](a -> <>b)".
std::string to_string(const Property& property);

// The atoms that hold at one moment: bit i is that of atom i.
using Letter = std::uint64_t;

// A word that goes on for ever: after the last letter comes loop_to again.
// Requires: loop_to < letters.size().
struct Word {
  std::vector<Letter> letters;
  std::size_t loop_to = 0;
};

// Does the formula hold of the word, at its first letter?
bool holds_on(const Formula& formula, const Word& word);

}  // namespace plumb::ltl
