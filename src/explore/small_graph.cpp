// SPDX-License-Identifier: Apache-2.0
#include "explore/small_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lts/symmetry.h"

namespace plumb::explore {

namespace {

lts::StateBytes canonical(const lts::System& system, lts::StateView state) {
  lts::StateBytes out(state.begin(), state.end());
  if (system.symmetry() != nullptr) system.symmetry()->canonicalize(out);
  return out;
}

bool is_fault(const lts::Label& label) {
  return label.kind == lts::LabelKind::kFault;
}

// Breadth first.
class Builder {
 public:
  Builder(const lts::System& system, std::size_t most)
      : system_(system), most_(most) {
    find_or_add(canonical(system, system.initial()));
  }

  std::optional<SmallGraph> build(Budget& budget) {
    for (std::uint32_t at = 0; at < graph_.states.size(); ++at) {
      if (graph_.states.size() > most_ || budget.spent_now()) {
        return std::nullopt;
      }
      if (!graph_.faults[at]) expand(at);
    }
    return std::move(graph_);
  }

 private:
  std::uint32_t add(lts::StateBytes state, std::optional<lts::Label> fault) {
    graph_.states.push_back(std::move(state));
    graph_.faults.push_back(std::move(fault));
    return static_cast<std::uint32_t>(graph_.states.size() - 1);
  }
  std::uint32_t find_or_add(lts::StateBytes state) {
    const auto [entry, is_new] = ids_.try_emplace(std::move(state), 0);
    if (is_new) entry->second = add(entry->first, std::nullopt);
    return entry->second;
  }
  std::uint32_t find_or_add(const lts::Label& fault) {
    const auto [entry, is_new] = faults_.try_emplace(fault.fault, 0);
    if (is_new) entry->second = add({}, fault);
    return entry->second;
  }
  void expand(std::uint32_t at) {
    const lts::StateBytes from = graph_.states[at];
    system_.successors(from, successors_);
    for (std::size_t i = 0; i < successors_.size(); ++i) {
      const auto labels = successors_.labels(i);
      const std::uint32_t to =
          is_fault(labels.back())
              ? find_or_add(labels.back())
              : find_or_add(canonical(system_, successors_.state(i)));
      graph_.edges.push_back({at, to, {labels.begin(), labels.end()}});
    }
  }

  const lts::System& system_;
  const std::size_t most_;
  SmallGraph graph_;
  std::map<lts::StateBytes, std::uint32_t> ids_;
  std::map<std::uint16_t, std::uint32_t> faults_;
  lts::Successors successors_;
};

}  // namespace

std::optional<SmallGraph> small_graph(const lts::System& system,
                                      std::size_t most, Budget& budget) {
  return Builder(system, most).build(budget);
}

std::optional<std::vector<std::uint32_t>> way_through(const SmallGraph& graph,
                                                      const lts::System& system,
                                                      const lts::Path& run) {
  std::map<lts::StateBytes, std::uint32_t> ids;
  std::map<std::uint16_t, std::uint32_t> faults;
  for (std::uint32_t i = 0; i < graph.states.size(); ++i) {
    if (graph.faults[i]) {
      faults.emplace(graph.faults[i]->fault, i);
    } else {
      ids.emplace(graph.states[i], i);
    }
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  for (const SmallGraph::Edge& edge : graph.edges) {
    joined.emplace(edge.from, edge.to);
  }
  std::vector<std::uint32_t> way;
  bool last_is_there = false;
  for (std::size_t i = 0; i < run.states.size(); ++i) {
    std::optional<std::uint32_t> id;
    if (i > 0 && is_fault(run.labels[i - 1])) {
      const auto found = faults.find(run.labels[i - 1].fault);
      if (found != faults.end()) id = found->second;
    } else if (const auto found = ids.find(canonical(system, run.states[i]));
               found != ids.end()) {
      id = found->second;
    }
    last_is_there = id.has_value();
    if (!id) continue;
    if (!way.empty() && !joined.contains({way.back(), *id})) {
      return std::nullopt;
    }
    way.push_back(*id);
  }
  if (way.empty() || way.front() != 0 || !last_is_there) return std::nullopt;
  return way;
}

}  // namespace plumb::explore
