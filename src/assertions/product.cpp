// SPDX-License-Identifier: Apache-2.0
#include "assertions/product.h"

#include <algorithm>

#include "base/memory_ceiling.h"

namespace plumb::assertions {

// Adds the nodes that the automaton comes to from state `from` by reading
// `letter`, and the steps to them if they come from a node.
bool Product::read(std::uint32_t from, ltl::Letter letter, explore::StateId to,
                   std::uint32_t step, NodeId parent) {
  for (const auto& transition : automaton_.states[from]) {
    if (!transition.reads(letter)) continue;
    const std::uint64_t key = std::uint64_t{to} << 32 | transition.target;
    const auto next = static_cast<NodeId>(nodes_.size());
    if (next == kNone || !MemoryCeiling::has_room_in(ids_)) return false;
    const auto [entry, is_new] = ids_.try_emplace(key, next);
    if (is_new && (!nodes_.push_back({to, transition.target}) ||
                   !parents_.push_back(parent))) {
      return false;
    }
    if (parent != kNone && !steps_.push_back({entry->second, step})) {
      return false;
    }
  }
  return true;
}

bool Product::build(Budget& budget) {
  if (!read(0, graph_.letter(0), 0, kStays, kNone)) return false;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (budget.spent() || !begins_.push_back(steps_.size())) return false;
    const Node at = nodes_[node];
    if (graph_.is_stuck(at.state) &&
        !read(at.automaton, graph_.letter(at.state), at.state, kStays, node)) {
      return false;
    }
    for (auto i = graph_.row_begin(at.state); i < graph_.row_end(at.state);
         ++i) {
      if (!read(at.automaton, graph_.letter_after(i), graph_.target(i),
                static_cast<std::uint32_t>(i), node)) {
        return false;
      }
    }
  }
  return true;
}

ltl::Automaton::Marks Product::marks(NodeId node, const Step& step) const {
  const ltl::Letter letter = step.step == kStays
                                 ? graph_.letter(nodes_[node].state)
                                 : graph_.letter_after(step.step);
  ltl::Automaton::Marks marks = 0;
  for (const auto& transition : automaton_.states[nodes_[node].automaton]) {
    if (transition.target == nodes_[step.target].automaton &&
        transition.reads(letter)) {
      marks |= transition.marks;
    }
  }
  return marks;
}

std::vector<Product::Step> Product::way_to(NodeId node) const {
  std::vector<Step> way;
  for (NodeId at = node; parents_[at] != kNone; at = parents_[at]) {
    const NodeId parent = parents_[at];
    auto i = begin(parent);
    while (steps_[i].target != at) ++i;
    way.push_back(steps_[i]);
  }
  std::ranges::reverse(way);
  return way;
}

}  // namespace plumb::assertions
