// SPDX-License-Identifier: Apache-2.0
// Automata that accept the infinite words of a formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "ltl/formula.h"

namespace plumb::ltl {

// A Buechi automaton with marks on its transitions: a run is accepting iff it
// passes each of the `marks` infinitely often.  With no mark at all, every
// infinite run is.
//
// Each state that is left lies on an accepting run, but for state 0, which is
// initial and may have no transitions: then no word is accepted.
struct Automaton {
  using Marks = std::uint64_t;

  struct Transition {
    Letter with = 0, without = 0;  // atoms that must hold, or must not
    std::uint32_t target = 0;
    Marks marks = 0;

    bool reads(Letter letter) const {
      return (letter & with) == with && (letter & without) == 0;
    }
    friend bool operator==(const Transition&, const Transition&) = default;
    friend auto operator<=>(const Transition&, const Transition&) = default;
  };

  std::vector<std::vector<Transition>> states;
  Marks marks = 0;  // all of them

  std::size_t size() const { return states.size(); }
  bool is_empty() const { return states[0].empty(); }
  // Does each word have an accepting run from here, one that never leaves?
  bool accepts_all(std::uint32_t state) const;
  // Is every accepting run one that comes to a state that accepts_all()?  Then
  // a finite part of each accepted word shows that it is accepted.
  bool is_decided_by_prefixes() const;
};

// An automaton for the words of `formula`, or of its negation; nothing if the
// budget is spent.
//
// The tableau of [GerthEtAl95] with acceptance on transitions [Couvreur99]: a
// state is a set of formulas that must hold from now on.  Expanding it gives
// the ways to make all of them true: literals now, formulas from the next
// moment on.  Of `a U b` the way over `a` has the promise that `b` comes later;
// its mark is on all transitions that do not renew this promise.  Whoever
// searches for accepting components needs no automaton with a single mark, so
// that none is made: that would cost a factor of states.
//
// LIMIT: 64 different untils after simplification; more are an InputError.
std::optional<Automaton> translate(const Formula& formula, bool negated,
                                   Budget& budget);

// Fewer states and transitions for the same words.
void simplify(Automaton& automaton);

}  // namespace plumb::ltl
