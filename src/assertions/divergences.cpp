// SPDX-License-Identifier: Apache-2.0
#include "assertions/divergences.h"

#include <algorithm>
#include <deque>

#include "base/flat_table.h"
#include "verify/words.h"

namespace plumb::assertions {

bool Divergences::open(StateId state) {
  if (!graph_.expand(state)) return false;
  marks_.resize(graph_.states(), Mark::kNew);
  marks_[state] = Mark::kOpen;
  frames_.push_back({state, graph_.begin(state)});
  return true;
}

std::optional<bool> Divergences::from(StateId state, Budget& budget) {
  marks_.resize(graph_.states(), Mark::kNew);
  if (marks_[state] == Mark::kNew && !open(state)) return std::nullopt;
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next == graph_.end(frame.state)) {
      marks_[frame.state] = Mark::kNot;
      frames_.pop_back();
      continue;
    }
    const LazyGraph::Step step = graph_[frame.next++];
    if (step.event != Events::kTau) continue;
    const Mark mark = marks_[step.target];
    if (mark == Mark::kNot) continue;
    if (mark == Mark::kNew) {
      if (budget.spent() || !open(step.target)) return std::nullopt;
      continue;
    }
    for (const Frame& open_one : frames_) {
      marks_[open_one.state] = Mark::kDiverges;
    }
    frames_.clear();
  }
  return marks_[state] == Mark::kDiverges;
}

std::vector<std::uint64_t> Divergences::shortest(StateId from,
                                                 StateId to) const {
  struct Found {
    StateId state;
    std::uint64_t step;
  };
  FlatMap<StateId, Found> found;
  std::deque<StateId> queue = {from};
  while (!found.contains(to)) {
    if (queue.empty()) verify::fail("a divergence without a cycle");
    const StateId state = queue.front();
    queue.pop_front();
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      // Only those that diverge are known to be expanded.
      const LazyGraph::Step& step = graph_[i];
      if (step.event != Events::kTau || step.target >= marks_.size() ||
          marks_[step.target] != Mark::kDiverges) {
        continue;
      }
      if (found.try_emplace(step.target, Found{state, i}).second) {
        queue.push_back(step.target);
      }
    }
  }
  std::vector<std::uint64_t> steps;
  StateId at = to;
  do {
    steps.push_back(found.at(at).step);
    at = found.at(at).state;
  } while (at != from);
  std::ranges::reverse(steps);
  return steps;
}

// Each state that diverges has a step to one that does.
Divergences::StateId Divergences::on_cycle(StateId state) const {
  FlatSet<StateId> seen;
  while (seen.insert(state).second) {
    auto i = graph_.begin(state);
    while (graph_[i].event != Events::kTau ||
           graph_[i].target >= marks_.size() ||
           marks_[graph_[i].target] != Mark::kDiverges) {
      ++i;
    }
    state = graph_[i].target;
  }
  return state;
}

Divergences::Way Divergences::way(StateId state) const {
  Way way;
  const StateId start = on_cycle(state);
  if (start != state) way.steps = shortest(state, start);
  way.before_cycle = way.steps.size();
  const auto cycle = shortest(start, start);
  way.steps.insert(way.steps.end(), cycle.begin(), cycle.end());
  return way;
}

}  // namespace plumb::assertions
