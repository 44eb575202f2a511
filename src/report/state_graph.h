// SPDX-License-Identifier: Apache-2.0
// The states of a small model and the steps between them, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/json_value.h"

namespace plumb::report {

struct StateGraph {
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::string label;
    std::size_t process = 0;
  };
  bool reduced = false;  // some states and steps stand for others
  std::vector<std::vector<std::string>> states;  // lines; the first is initial
  std::vector<std::uint32_t> faults;  // those that stand for something wrong
  std::vector<Edge> edges;
  // The states of the counterexample, if they are all there.
  std::optional<std::vector<std::uint32_t>> path;
};

// The schema is in docs/results.md.
Json to_json(const StateGraph& graph);

}  // namespace plumb::report
