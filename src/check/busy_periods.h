// SPDX-License-Identifier: Apache-2.0
// Quiescent consistency as linearizability of a widened history.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace plumb::check {

// A part of a history, and where its operations stand in the whole.
struct Part {
  history::History history;
  std::vector<std::uint32_t> origin;  // by index in the part

  void add(const history::History& whole, std::uint32_t index) {
    history.operations.push_back(whole.operations[index]);
    origin.push_back(index);
  }
};

// Quiescent consistency keeps the order of operations between which some
// moment has nothing pending [DerrickEtAl14, Def. 4]; others may be permuted,
// even those of one process.  So every operation may be widened to its busy
// period, the longest stretch around it with something pending: the history is
// quiescent consistent iff the widened one is linearizable.  What follows the
// last quiescent moment is not judged, and left out.
Part widen_to_busy_periods(const history::History& history);

// How many operations follow the last quiescent moment.
std::size_t count_not_judged(const history::History& history);

}  // namespace plumb::check
