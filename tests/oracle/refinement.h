// SPDX-License-Identifier: Apache-2.0
// Refinement of small systems of events, straight from the definitions.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "lts/path.h"
#include "support/table_system.h"

namespace plumb::oracle {

using Trace = std::vector<std::string>;
using States = std::set<std::size_t>;

// What the environment sees of a path: names of visible steps.
Trace trace_of(const lts::Path& path);
// Where a system may be after a trace, internal steps and all.
States states_after(const testing::TableSystem& system, const Trace& trace);
bool may_diverge(const testing::TableSystem& system, const States& states);
// Can it refuse all of `events` for good, in one of the states?
bool may_refuse(const testing::TableSystem& system, const States& states,
                const std::set<std::string>& events);
// All names of visible steps.
std::set<std::string> alphabet(const testing::TableSystem& system);

// Compares the two after each trace, all subsets of events as refusals; walks
// traces until the states on both sides repeat.
bool refines(const testing::TableSystem& implementation,
             const testing::TableSystem& specification,
             assertions::Semantics semantics);

// How many steps, internal ones too, the implementation takes at least until
// it shows a violation: the last one is an event that is not allowed, or leads
// to a state that refuses too much or diverges.
std::optional<std::size_t> shortest_violation(
    const testing::TableSystem& implementation,
    const testing::TableSystem& specification, assertions::Semantics semantics);

}  // namespace plumb::oracle
