// SPDX-License-Identifier: Apache-2.0
// All of a small system, to be drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::explore {

struct SmallGraph {
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::vector<lts::Label> labels;  // several: steps that are taken as one
  };
  // The first is the initial one.  Of those that differ in names only, one, if
  // the system has a symmetry.
  std::vector<lts::StateBytes> states;
  // The state behind a fault is not described by its bytes but by this label.
  std::vector<std::optional<lts::Label>> faults;
  std::vector<Edge> edges;
};

// Nothing if there are more than `most` states, or the budget does not last.
std::optional<SmallGraph> small_graph(const lts::System& system,
                                      std::size_t most, Budget& budget);

// The states of a run, which may be one of the system before it was reduced;
// those within a transition are passed over.  Nothing unless the graph has an
// edge from each to the next.
std::optional<std::vector<std::uint32_t>> way_through(const SmallGraph& graph,
                                                      const lts::System& system,
                                                      const lts::Path& run);

}  // namespace plumb::explore
