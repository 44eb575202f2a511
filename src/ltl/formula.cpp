// SPDX-License-Identifier: Apache-2.0
#include "ltl/formula.h"

#include <utility>

namespace plumb::ltl {
namespace {

// How tightly an operator binds its operands.
int strength(Operator op) {
  switch (op) {
    case Operator::kIff:
      return 1;
    case Operator::kImplies:
      return 2;
    case Operator::kOr:
      return 3;
    case Operator::kAnd:
      return 4;
    case Operator::kUntil:
    case Operator::kRelease:
      return 5;
    case Operator::kNot:
    case Operator::kNext:
    case Operator::kAlways:
    case Operator::kEventually:
      return 6;
    default:
      return 7;
  }
}

const char* symbol(Operator op) {
  switch (op) {
    case Operator::kTrue:
      return "true";
    case Operator::kFalse:
      return "false";
    case Operator::kNot:
      return "!";
    case Operator::kAnd:
      return " && ";
    case Operator::kOr:
      return " || ";
    case Operator::kImplies:
      return " -> ";
    case Operator::kIff:
      return " <-> ";
    case Operator::kNext:
      return "X ";
    case Operator::kUntil:
      return " U ";
    case Operator::kRelease:
      return " R ";
    case Operator::kAlways:
      return "[]";
    case Operator::kEventually:
      return "<>";
    default:
      return "";
  }
}

class Printer {
 public:
  explicit Printer(const std::vector<Atom>& atoms) : atoms_(atoms) {}

  std::string operator()(const Formula& formula) const {
    if (formula.op == Operator::kAtom) {
      const Atom& atom = atoms_[formula.atom];
      return atom.quoted ? '"' + atom.text + '"' : atom.text;
    }
    if (!formula.left) return symbol(formula.op);
    const int own = strength(formula.op);
    if (!formula.right) return symbol(formula.op) + part(*formula.left, own);
    // A chain of && or || needs none; all else gets them.
    const bool chains =
        formula.op == Operator::kAnd || formula.op == Operator::kOr;
    return part(*formula.left, chains ? own : own + 1) + symbol(formula.op) +
           part(*formula.right, chains ? own : own + 1);
  }

 private:
  std::string part(const Formula& formula, int least) const {
    std::string text = (*this)(formula);
    return strength(formula.op) >= least ? text : '(' + text + ')';
  }

  const std::vector<Atom>& atoms_;
};

using Truths = std::vector<bool>;

// Where formulas hold, position by position, from the inside to the outside.
class Evaluation {
 public:
  explicit Evaluation(const Word& word) : word_(word) {}

  Truths operator()(const Formula& formula) const {
    const std::size_t size = word_.letters.size();
    switch (formula.op) {
      case Operator::kTrue:
        return Truths(size, true);
      case Operator::kFalse:
        return Truths(size, false);
      case Operator::kAtom: {
        Truths out(size);
        for (std::size_t i = 0; i < size; ++i) {
          out[i] = (word_.letters[i] >> formula.atom & 1) != 0;
        }
        return out;
      }
      case Operator::kAlways:
        return release(Truths(size, false), (*this)(*formula.left));
      case Operator::kEventually:
        return until(Truths(size, true), (*this)(*formula.left));
      default:
        break;
    }
    Truths left = (*this)(*formula.left);
    if (formula.op == Operator::kNot) return negated(std::move(left));
    if (formula.op == Operator::kNext) return next(left);
    return binary(formula.op, std::move(left), (*this)(*formula.right));
  }

 private:
  std::size_t after(std::size_t i) const {
    return i + 1 < word_.letters.size() ? i + 1 : word_.loop_to;
  }
  static Truths negated(Truths truths) {
    truths.flip();
    return truths;
  }
  Truths next(const Truths& of) const {
    Truths out(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) out[i] = of[after(i)];
    return out;
  }
  Truths binary(Operator op, Truths left, Truths right) const {
    switch (op) {
      case Operator::kUntil:
        return until(left, std::move(right));
      case Operator::kRelease:
        return release(std::move(left), std::move(right));
      case Operator::kImplies:
        left.flip();
        break;
      default:
        break;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool l = left[i], r = right[i];
      left[i] = op == Operator::kAnd   ? l && r
                : op == Operator::kIff ? l == r
                                       : l || r;
    }
    return left;
  }
  // Twice from the end to the start: the second time the loop knows what comes
  // after its end.
  Truths until(const Truths& left, Truths right) const {
    Truths out = std::move(right);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = out.size(); i-- > 0;) {
        out[i] = out[i] || (left[i] && out[after(i)]);
      }
    }
    return out;
  }
  Truths release(Truths left, Truths right) const {
    return negated(until(negated(std::move(left)), negated(std::move(right))));
  }

  const Word& word_;
};

}  // namespace

std::string to_string(const Property& property) {
  return Printer(property.atoms)(*property.formula);
}

bool holds_on(const Formula& formula, const Word& word) {
  return Evaluation(word)(formula)[0];
}

}  // namespace plumb::ltl
