// SPDX-License-Identifier: Apache-2.0
// Progress properties straight from their definitions, by trying all paths.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "support/table_system.h"
#include "verify/progress.h"

namespace plumb::oracle {

// Distance of each state from the initial one, over steps that are no faults.
std::vector<std::optional<std::size_t>> distances(
    const testing::TableSystem& system);

// The least length of a run that ends with a fault.
std::optional<std::size_t> nearest_fault(const testing::TableSystem& system);

// The least number of steps after which a run can go wrong for ever: to a
// deadlock, to a process that waits, or to the first state of a bad cycle.
// Nothing if the property holds of all that can be reached.
std::optional<std::size_t> nearest_violation(const testing::TableSystem& system,
                                             verify::Progress property);

// Is there a reachable state in which bound `bound` cuts a step off?
bool is_cut(const testing::TableSystem& system, std::size_t bound);

}  // namespace plumb::oracle
