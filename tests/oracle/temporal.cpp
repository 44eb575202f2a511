// SPDX-License-Identifier: Apache-2.0
#include "oracle/temporal.h"

#include <vector>

namespace plumb::oracle {
namespace {

using ltl::Formula;
using ltl::Operator;
using ltl::Word;

// Moments beyond the letters are those of the loop again, so that from any
// moment on, twice the letters show all that ever comes.
std::size_t in_letters(std::size_t moment, const Word& word) {
  const std::size_t size = word.letters.size();
  if (moment < size) return moment;
  return word.loop_to + (moment - word.loop_to) % (size - word.loop_to);
}

bool until(const Formula& left, const Formula& right, const Word& word,
           std::size_t moment) {
  const std::size_t end = moment + 2 * word.letters.size();
  for (std::size_t later = moment; later < end; ++later) {
    if (holds(right, word, later)) return true;
    if (!holds(left, word, later)) return false;
  }
  return false;
}

// Nothing but `right`, or `right` up to and with a moment of `left`.
bool release(const Formula& left, const Formula& right, const Word& word,
             std::size_t moment) {
  const std::size_t end = moment + 2 * word.letters.size();
  for (std::size_t later = moment; later < end; ++later) {
    if (!holds(right, word, later)) return false;
    if (holds(left, word, later)) return true;
  }
  return true;
}

}  // namespace

bool holds(const Formula& formula, const Word& word, std::size_t at) {
  const std::size_t moment = in_letters(at, word);
  const std::size_t end = moment + 2 * word.letters.size();
  switch (formula.op) {
    case Operator::kTrue:
      return true;
    case Operator::kFalse:
      return false;
    case Operator::kAtom:
      return (word.letters[moment] >> formula.atom & 1) != 0;
    case Operator::kNot:
      return !holds(*formula.left, word, moment);
    case Operator::kAnd:
      return holds(*formula.left, word, moment) &&
             holds(*formula.right, word, moment);
    case Operator::kOr:
      return holds(*formula.left, word, moment) ||
             holds(*formula.right, word, moment);
    case Operator::kImplies:
      return !holds(*formula.left, word, moment) ||
             holds(*formula.right, word, moment);
    case Operator::kIff:
      return holds(*formula.left, word, moment) ==
             holds(*formula.right, word, moment);
    case Operator::kNext:
      return holds(*formula.left, word, moment + 1);
    case Operator::kUntil:
      return until(*formula.left, *formula.right, word, moment);
    case Operator::kRelease:
      return release(*formula.left, *formula.right, word, moment);
    case Operator::kAlways:
      for (std::size_t later = moment; later < end; ++later) {
        if (!holds(*formula.left, word, later)) return false;
      }
      return true;
    case Operator::kEventually:
      for (std::size_t later = moment; later < end; ++later) {
        if (holds(*formula.left, word, later)) return true;
      }
      return false;
  }
  return false;
}

// A run repeats a pair (letter, state) of the loop; between the two it may
// pass all marks that lie on steps among pairs that reach each other.
bool accepts(const ltl::Automaton& automaton, const Word& word) {
  const std::size_t letters = word.letters.size(), states = automaton.size();
  const std::size_t pairs = letters * states;
  struct Step {
    std::size_t from, to;
    ltl::Automaton::Marks marks;
  };
  std::vector<Step> steps;
  std::vector<std::vector<bool>> reaches(pairs, std::vector<bool>(pairs));
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::size_t letter = pair / states;
    for (const auto& step : automaton.states[pair % states]) {
      if (!step.reads(word.letters[letter])) continue;
      const std::size_t to =
          in_letters(letter + 1, word) * states + step.target;
      steps.push_back({pair, to, step.marks});
      reaches[pair][to] = true;
    }
  }
  for (std::size_t k = 0; k < pairs; ++k) {
    for (std::size_t i = 0; i < pairs; ++i) {
      if (!reaches[i][k]) continue;
      for (std::size_t j = 0; j < pairs; ++j) {
        if (reaches[k][j]) reaches[i][j] = true;
      }
    }
  }
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    if ((pair != 0 && !reaches[0][pair]) || !reaches[pair][pair]) continue;
    ltl::Automaton::Marks marks = 0;
    for (const Step& step : steps) {
      const bool together = (step.from == pair || reaches[pair][step.from]) &&
                            (step.to == pair || reaches[step.to][pair]);
      if (together) marks |= step.marks;
    }
    if (marks == automaton.marks) return true;
  }
  return false;
}

}  // namespace plumb::oracle
