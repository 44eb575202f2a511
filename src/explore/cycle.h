// SPDX-License-Identifier: Apache-2.0
// A shortest cycle through a state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/flat_table.h"
#include "explore/id_range.h"
#include "explore/rows.h"

namespace plumb::explore {

// The transitions of a shortest cycle from `start` back to it that `keep`
// accepts and one of which `needed` accepts; empty if there is none.
// Breadth-first, over pairs of a state and whether a needed transition has
// been passed.
template <typename Keep, typename Needed>
std::vector<Rows::Step> shortest_cycle(const Rows& rows, StateId start,
                                       Keep keep, Needed needed) {
  // A pair is state * 2 + passed.
  struct Found {
    std::uint64_t pair;  // where from
    Rows::Step step;
  };
  FlatMap<std::uint64_t, Found> found;
  const std::uint64_t first = std::uint64_t{start} * 2, goal = first + 1;
  std::deque<std::uint64_t> queue = {first};
  while (!queue.empty() && !found.contains(goal)) {
    const std::uint64_t pair = queue.front();
    queue.pop_front();
    Rows::Cursor steps = rows[static_cast<StateId>(pair / 2)];
    for (Rows::Step step; rows.next(steps, step);) {
      if (!keep(step)) continue;
      const std::uint64_t passed = pair % 2 != 0 || needed(step) ? 1 : 0;
      const std::uint64_t next = std::uint64_t{step.target} * 2 + passed;
      if (next == first || !found.try_emplace(next, Found{pair, step}).second) {
        continue;
      }
      queue.push_back(next);
    }
  }
  std::vector<Rows::Step> cycle;
  if (!found.contains(goal)) return cycle;
  for (std::uint64_t at = goal; at != first;) {
    const Found& last = found.at(at);
    cycle.push_back(last.step);
    at = last.pair;
  }
  std::ranges::reverse(cycle);
  return cycle;
}

}  // namespace plumb::explore
