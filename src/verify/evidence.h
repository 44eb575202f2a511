// SPDX-License-Identifier: Apache-2.0
// Turns the end of a search into an outcome that can be shown.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/budget.h"
#include "lts/path.h"
#include "verify/outcome.h"
#include "verify/search.h"
#include "verify/set_moves.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

// Says so of a run that may be longer than need be, because reductions were
// used and there was no time to do without.
Outcome not_shortest(Outcome found);

// Warns of operations that are called and never return: nothing that they do
// was judged.
void add_never_returns(const lts::System& system, const SetMoves& moves,
                       Outcome& outcome);

// Of a search that a limit ended: says what grows if the object has few states
// and its specification more and more of them, mostly one without a bound.
void add_growth(const lts::System& system, const SetMoves& moves,
                Outcome& outcome);

// Processes with a call pending after these steps, from the initial state on.
std::uint64_t pending_after(std::span<const lts::Label> labels);

// A mistake of ours if it is none.
void require_run(const lts::Path& path, const lts::System& system);

// A search came to its end: holds, unless a bound of ours cut it.
Outcome complete_outcome(const lts::System& system, std::uint64_t cut);

// What every search can end with but the empty set.
Outcome ended(const lts::System& system, const Search& search, Search::End end);

// A search came to its end; were there busy periods that were not followed?
void add_busy(const Search& search, const Busy& busy, Outcome& outcome);

// A fault at the end of `path`.
Outcome fault_outcome(const lts::System& system, const lts::Path& path);

// The calls of `path` have no order.  Replays the run, refutes its history by
// the decider of level 1, and aborts if one of the two fails: that would be an
// error of ours.
Outcome violation_outcome(const Question& question, const lts::Path& path,
                          const SpecificationGraph& graph);

// A run on which marked points fail; of its calls nothing is known.
Outcome marks_outcome(const Question& question, const lts::Path& path,
                      SpecificationGraph& graph);

}  // namespace plumb::verify
