// SPDX-License-Identifier: Apache-2.0
// Whether a fair run is accepted, by trying every set of what it may repeat.
#pragma once

#include <cstddef>
#include <optional>

#include "assertions/assertions.h"
#include "ltl/automaton.h"
#include "support/table_system.h"

namespace plumb::oracle {

// Has the system a fair run that the automaton accepts?  What a run passes
// again and again is a set of pairs (state, automaton's state) of which each
// reaches each other; all sets are tried.  Nothing if there are more than
// `most` pairs.
std::optional<bool> has_fair_run(const testing::TableSystem& system,
                                 const assertions::Temporal& question,
                                 const ltl::Automaton& automaton,
                                 std::size_t most);

}  // namespace plumb::oracle
