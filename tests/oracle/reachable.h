// SPDX-License-Identifier: Apache-2.0
// What a small system can reach, and how soon it shows something.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "support/table_system.h"

namespace plumb::oracle {

using Distance = std::optional<std::size_t>;  // nothing: never

// How many steps there are at least to each state.
std::vector<Distance> steps_to_all(const testing::TableSystem& system);

// The number of steps of a shortest run that shows ...
// ... a state without steps; reached by something else than its end, if
// `but_not_by_terminating`.
Distance to_stuck_state(const testing::TableSystem& system,
                        bool but_not_by_terminating);
// ... a state from which internal steps lead back to it.
Distance to_internal_cycle(const testing::TableSystem& system);
// ... two states by the last step, which has one name.
Distance to_ambiguous_step(const testing::TableSystem& system);
// ... a fault.
Distance to_fault(const testing::TableSystem& system);

}  // namespace plumb::oracle
