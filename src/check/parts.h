// SPDX-License-Identifier: Apache-2.0
// Takes a history apart by the independent parts of its object.
#pragma once

#include <cstdint>
#include <vector>

#include "check/busy_periods.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// One part per value of Specification::part, in order of first appearance;
// nothing if the object is one whole.
std::vector<Part> split_by_part(const history::History& history,
                                const spec::Specification& object);

// Linearizability is local [HerlihyWing90, Theorem 1]: orders of the parts
// that keep real time can be merged into one order of the whole that does.
// Each operation gets a moment, the latest invocation up to it in its order;
// merging by moments keeps both.
std::vector<std::uint32_t> merge_orders(
    const history::History& history,
    const std::vector<std::vector<std::uint32_t>>& orders);

}  // namespace plumb::check
