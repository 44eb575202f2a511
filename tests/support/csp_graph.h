// SPDX-License-Identifier: Apache-2.0
// Graphs of labelled steps, and whether two of them do the same: for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csp/ast.h"
#include "lts/system.h"

namespace plumb::walked {

struct StepGraph {
  struct Edge {
    std::string label;
    std::uint32_t to = 0;
    bool operator==(const Edge&) const = default;
  };
  std::vector<std::vector<Edge>> edges;  // of each state; state 0 is the first
  std::size_t transitions() const;       // without faults
  // States that are reached by steps other than termination and faults.
  std::size_t proper_states() const;
};

// Labels are texts of events, "tau", "terminate" and "fault".  Nothing if
// there are more states.
std::optional<StepGraph> walked_graph(const csp::Module& module,
                                      const csp::ProcessPtr& subject,
                                      std::size_t most_states);
std::optional<StepGraph> system_graph(const lts::System& system,
                                      std::size_t most_states);

// "" if the first states are strongly bisimilar; else what one of them can do
// after a common trace, and the other cannot.
//
// By refining the partition with one block until nothing changes, as
// [KanellakisSmolka90] do.
std::string difference(const StepGraph& left, const StepGraph& right);

}  // namespace plumb::walked
