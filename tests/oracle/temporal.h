// SPDX-License-Identifier: Apache-2.0
// Temporal logic on words that repeat, straight from the definitions.
#pragma once

#include <cstddef>

#include "ltl/automaton.h"
#include "ltl/formula.h"

namespace plumb::oracle {

// Does the formula hold at the given moment of the word?  Tries all moments.
bool holds(const ltl::Formula& formula, const ltl::Word& word,
           std::size_t moment = 0);

// Has the automaton an accepting run on the word?
bool accepts(const ltl::Automaton& automaton, const ltl::Word& word);

}  // namespace plumb::oracle
