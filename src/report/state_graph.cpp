// SPDX-License-Identifier: Apache-2.0
#include "report/state_graph.h"

#include <map>

namespace plumb::report {

Json to_json(const StateGraph& graph) {
  Json out;
  out["reduced"] = graph.reduced;
  out["initial"] = 0;
  out["states"] = graph.states;
  out["labels"] = Json::array();
  Json edges = Json::array();
  std::map<std::string, std::size_t> labels;
  for (const StateGraph::Edge& edge : graph.edges) {
    const auto [label, is_new] = labels.try_emplace(edge.label, labels.size());
    if (is_new) out["labels"].push_back(edge.label);
    edges.push_back(
        Json::array({edge.from, edge.to, label->second, edge.process}));
  }
  out["edges"] = std::move(edges);
  if (!graph.faults.empty()) out["faults"] = graph.faults;
  if (graph.path) out["path"] = *graph.path;
  return out;
}

}  // namespace plumb::report
