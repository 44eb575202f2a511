// SPDX-License-Identifier: Apache-2.0
// Strongly connected components of a part of a graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "explore/id_range.h"
#include "explore/rows.h"

namespace plumb::explore {

// Numbers the components of the states below `end`, by those transitions that
// `keep` accepts: two states have the same number iff each reaches the other.
//
// [Tarjan72] in the form of [Pearce16]: one number for each state, at first
// the order of its visit, lowered to that of the earliest state that it
// reaches, at last that of its component, counted down from the number of
// states so that finished states never seem earlier than open ones.  The
// recursion is a stack of our own: graphs are millions of states deep.
template <typename Keep>
class Components {
 public:
  Components(const Rows& rows, std::size_t end, Keep keep)
      : rows_(rows),
        keep_(keep),
        number_(end, 0),
        next_component_(static_cast<std::uint32_t>(end)) {}

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
  // Of transitions that `keep` accepts.
  bool has_cycle() const { return has_cycle_; }

 private:
  struct Frame {
    Rows::Cursor steps;   // of its state, those that follow
    bool is_root = true;  // it reaches nothing earlier than itself, so far
  };

  bool visit(StateId first, Budget& budget) {
    open(first);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      Rows::Step step;
      if (!rows_.next(frame.steps, step)) {
        const StateId closed = frame.steps.state;
        close();
        if (!frames_.empty()) lower(frames_.back(), number_[closed]);
      } else if (!keep_(step)) {
        continue;
      } else if (number_[step.target] != 0) {
        has_cycle_ |= step.target == frame.steps.state;
        lower(frame, number_[step.target]);
      } else {
        if (budget.spent()) return false;
        open(step.target);
      }
    }
    return true;
  }

  void open(StateId state) {
    number_[state] = next_visit_++;
    frames_.push_back({rows_[state]});
  }

  void lower(Frame& frame, std::uint32_t number) {
    const StateId state = frame.steps.state;
    if (number >= number_[state]) return;
    number_[state] = number;
    frame.is_root = false;
  }

  void close() {
    const StateId state = frames_.back().steps.state;
    const bool is_root = frames_.back().is_root;
    frames_.pop_back();
    if (!is_root) {
      waiting_.push_back(state);
      return;
    }
    const std::uint32_t own = number_[state];
    --next_visit_;
    while (!waiting_.empty() && number_[waiting_.back()] >= own) {
      number_[waiting_.back()] = next_component_;
      waiting_.pop_back();
      --next_visit_;
      has_cycle_ = true;
    }
    number_[state] = next_component_--;
  }

  const Rows& rows_;
  const Keep keep_;
  std::vector<std::uint32_t> number_;
  std::uint32_t next_component_;
  std::uint32_t next_visit_ = 1;
  bool has_cycle_ = false;
  std::vector<Frame> frames_;
  std::vector<StateId> waiting_;  // closed, their component is still open
};

// Which states lie in a component with a cycle of transitions that `keep`
// accepts and one of which `needed` accepts; none: empty.  Nothing if the
// budget is spent.
template <typename Keep, typename Needed>
std::optional<std::vector<bool>> states_of_cycles(const Rows& rows,
                                                  std::size_t end, Keep keep,
                                                  Needed needed,
                                                  Budget& budget) {
  Components<Keep> components(rows, end, keep);
  if (!components.find(budget)) return std::nullopt;
  if (!components.has_cycle()) return std::vector<bool>();
  std::vector<bool> is_bad(end + 1);
  bool any = false;
  const auto note = [&](StateId state, const Rows::Step& step) {
    if (keep(step) && needed(step) &&
        components[step.target] == components[state]) {
      is_bad[components[state]] = any = true;
    }
  };
  if (!rows.for_each([&] { return !budget.spent(); }, note)) {
    return std::nullopt;
  }
  std::vector<bool> states(any ? end : 0);
  for (std::size_t at = 0; at < states.size(); ++at) {
    states[at] = is_bad[components[static_cast<StateId>(at)]];
  }
  return states;
}

}  // namespace plumb::explore
