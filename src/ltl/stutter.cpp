// SPDX-License-Identifier: Apache-2.0
// Which formulas cannot tell words apart that differ in their pace only.
#include "ltl/stutter.h"

namespace plumb::ltl {

bool ignores_repetition(const Formula& formula) {
  return formula.op != Operator::kNext &&
         (!formula.left || ignores_repetition(*formula.left)) &&
         (!formula.right || ignores_repetition(*formula.right));
}

namespace {

// What is known of a formula's value at the letters of a word.
struct StutterKind {
  // At a letter that is not empty it does not depend on empty letters.  All
  // that follows includes this.
  bool fine = false;
  bool high = false;  // and at empty letters it is true,
  bool low = false;   // or false,
  // or the same as at the letter behind, and the same for all if only empty
  // letters follow.
  bool pure = false;
};

StutterKind negated(StutterKind f) {
  return {f.fine, f.low, f.high, f.pure};
}

StutterKind both(StutterKind f, StutterKind g) {
  const bool fine = f.fine && g.fine;
  return {fine, f.high && g.high, fine && (f.low || g.low), f.pure && g.pure};
}

StutterKind either(StutterKind f, StutterKind g) {
  return negated(both(negated(f), negated(g)));
}

// f holds until g does.  At an empty letter where g is not yet true, f must be
// true of itself: what f is behind it does not matter, if g is true there.
StutterKind until(StutterKind f, StutterKind g) {
  const bool pure = (f.high && (g.low || g.pure)) || (f.pure && g.pure);
  return {pure, false, false, pure};
}

StutterKind kind_of(const Formula& formula) {
  constexpr StutterKind kTrue{true, true, false, true};
  const auto left = [&] { return kind_of(*formula.left); };
  const auto right = [&] { return kind_of(*formula.right); };
  switch (formula.op) {
    case Operator::kTrue:
      return kTrue;
    case Operator::kFalse:
      return negated(kTrue);
    case Operator::kAtom:
      return {true, false, true, false};
    case Operator::kNot:
      return negated(left());
    case Operator::kAnd:
      return both(left(), right());
    case Operator::kOr:
      return either(left(), right());
    case Operator::kImplies:
      return either(negated(left()), right());
    case Operator::kIff: {
      const StutterKind f = left(), g = right();
      return both(either(negated(f), g), either(f, negated(g)));
    }
    case Operator::kNext:
      return {};
    case Operator::kUntil:
      return until(left(), right());
    case Operator::kRelease:
      return negated(until(negated(left()), negated(right())));
    case Operator::kAlways:
      return negated(until(kTrue, negated(left())));
    case Operator::kEventually:
      return until(kTrue, left());
  }
  return {};
}

}  // namespace

bool ignores_empty_letters(const Formula& formula) {
  const StutterKind kind = kind_of(formula);
  return kind.high || kind.low || kind.pure;
}

}  // namespace plumb::ltl
