// SPDX-License-Identifier: Apache-2.0
// Strongly connected components of a part of a graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "explore/graph.h"
#include "explore/state_store.h"

namespace plumb::explore {

// Numbers the components of `graph`, as far as it consists of transitions
// that `keep` accepts: two states have the same number iff each reaches the
// other.
//
// [Tarjan72] in the form of [Pearce16]: one number for each state, at first
// the order of its visit, lowered to that of the earliest state that it
// reaches, at last that of its component, counted down from the number of
// states so that finished states never seem earlier than open ones.  The
// recursion is a stack of our own: graphs are millions of states deep.
template <typename Keep>
class Components {
 public:
  Components(const Graph& graph, std::size_t states, Keep keep)
      : graph_(graph),
        keep_(keep),
        number_(states, 0),
        next_component_(static_cast<std::uint32_t>(states)) {}

  // Returns false if the budget is spent.
  bool find(Budget& budget) {
    for (std::size_t state = 0; state < number_.size(); ++state) {
      if (number_[state] == 0 && !visit(static_cast<StateId>(state), budget)) {
        return false;
      }
    }
    return true;
  }
  // From 1 to the number of states.
  std::uint32_t operator[](StateId state) const { return number_[state]; }

 private:
  struct Frame {
    StateId state;
    bool is_root;        // it reaches nothing earlier than itself, so far
    std::uint64_t next;  // transition to look at
  };

  bool visit(StateId first, Budget& budget) {
    open(first);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next == graph_.row_end(frame.state)) {
        close();
        continue;
      }
      const Graph::Transition& step = graph_[frame.next];
      if (keep_(step) && number_[step.target] == 0) {
        if (budget.spent()) return false;
        open(step.target);  // comes back to this transition
        continue;
      }
      if (keep_(step)) lower(frame, number_[step.target]);
      ++frame.next;
    }
    return true;
  }

  void open(StateId state) {
    number_[state] = next_visit_++;
    frames_.push_back({state, true, graph_.row_begin(state)});
  }

  void lower(Frame& frame, std::uint32_t number) {
    if (number >= number_[frame.state]) return;
    number_[frame.state] = number;
    frame.is_root = false;
  }

  void close() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (!frame.is_root) {
      waiting_.push_back(frame.state);
      return;
    }
    const std::uint32_t own = number_[frame.state];
    --next_visit_;
    while (!waiting_.empty() && number_[waiting_.back()] >= own) {
      number_[waiting_.back()] = next_component_;
      waiting_.pop_back();
      --next_visit_;
    }
    number_[frame.state] = next_component_--;
  }

  const Graph& graph_;
  const Keep keep_;
  std::vector<std::uint32_t> number_;
  std::uint32_t next_component_;
  std::uint32_t next_visit_ = 1;
  std::vector<Frame> frames_;
  std::vector<StateId> waiting_;  // closed, their component is still open
};

// The nearest state (the one of smallest id) on a cycle of transitions that
// `keep` accepts and one of which `needed` accepts; kNoState if there is
// none; nothing if the budget is spent.
template <typename Keep, typename Needed>
std::optional<StateId> nearest_cycle(const Graph& graph, std::size_t states,
                                     Keep keep, Needed needed, Budget& budget) {
  Components<Keep> components(graph, states, keep);
  if (!components.find(budget)) return std::nullopt;
  std::vector<bool> is_bad(states + 1);
  for (std::size_t at = 0; at < states; ++at) {
    if (budget.spent()) return std::nullopt;
    const auto state = static_cast<StateId>(at);
    for (auto i = graph.row_begin(state); i < graph.row_end(state); ++i) {
      const Graph::Transition& step = graph[i];
      if (keep(step) && needed(step) &&
          components[step.target] == components[state]) {
        is_bad[components[state]] = true;
      }
    }
  }
  for (std::size_t at = 0; at < states; ++at) {
    const auto state = static_cast<StateId>(at);
    if (is_bad[components[state]]) return state;
  }
  return kNoState;
}

}  // namespace plumb::explore
