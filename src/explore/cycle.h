// SPDX-License-Identifier: Apache-2.0
// A shortest cycle through a state.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "explore/graph.h"
#include "explore/state_store.h"

namespace plumb::explore {

// The numbers of transitions of a shortest cycle from `start` back to it that
// `keep` accepts and one of which `needed` accepts; empty if there is none.
// Breadth-first, over pairs of a state and whether a needed transition has
// been passed.
template <typename Keep, typename Needed>
std::vector<std::uint64_t> shortest_cycle(const Graph& graph, StateId start,
                                          Keep keep, Needed needed) {
  // A pair is state * 2 + passed.
  struct Found {
    std::uint64_t pair, transition;  // where from, and by which
  };
  absl::flat_hash_map<std::uint64_t, Found> found;
  const std::uint64_t first = std::uint64_t{start} * 2, goal = first + 1;
  std::deque<std::uint64_t> queue = {first};
  while (!queue.empty() && !found.contains(goal)) {
    const std::uint64_t pair = queue.front();
    queue.pop_front();
    const auto state = static_cast<StateId>(pair / 2);
    for (auto i = graph.row_begin(state); i < graph.row_end(state); ++i) {
      const Graph::Transition& step = graph[i];
      if (!keep(step)) continue;
      const std::uint64_t passed = pair % 2 != 0 || needed(step) ? 1 : 0;
      const std::uint64_t next = std::uint64_t{step.target} * 2 + passed;
      if (next == first || !found.try_emplace(next, Found{pair, i}).second) {
        continue;
      }
      queue.push_back(next);
    }
  }
  std::vector<std::uint64_t> cycle;
  if (!found.contains(goal)) return cycle;
  for (std::uint64_t at = goal; at != first;) {
    const Found& step = found.at(at);
    cycle.push_back(step.transition);
    at = step.pair;
  }
  std::ranges::reverse(cycle);
  return cycle;
}

}  // namespace plumb::explore
