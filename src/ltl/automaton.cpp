// SPDX-License-Identifier: Apache-2.0
#include "ltl/automaton.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace plumb::ltl {
namespace {

using Transition = Automaton::Transition;
using Numbers = std::vector<std::uint32_t>;

// The component of each state, numbered so that transitions lead to the same
// component or to one with a smaller number [Tarjan72].
class Components {
 public:
  explicit Components(const Automaton& automaton)
      : automaton_(automaton),
        order_(automaton.size(), 0),
        low_(automaton.size(), 0),
        component_(automaton.size(), kOpen) {
    for (std::uint32_t state = 0; state < automaton.size(); ++state) {
      if (order_[state] == 0) visit(state);
    }
  }

  std::uint32_t operator[](std::uint32_t state) const {
    return component_[state];
  }
  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t kOpen = UINT32_MAX;
  struct Frame {
    std::uint32_t state;
    std::size_t next;
  };

  void open(std::uint32_t state) {
    order_[state] = low_[state] = ++visits_;
    stack_.push_back(state);
    frames_.push_back({state, 0});
  }

  void visit(std::uint32_t first) {
    open(first);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::uint32_t state = frame.state;
      if (frame.next < automaton_.states[state].size()) {
        const auto target = automaton_.states[state][frame.next++].target;
        if (order_[target] == 0) {
          open(target);
        } else if (component_[target] == kOpen) {
          low_[state] = std::min(low_[state], order_[target]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        auto& low = low_[frames_.back().state];
        low = std::min(low, low_[state]);
      }
      if (low_[state] == order_[state]) close(state);
    }
  }

  void close(std::uint32_t root) {
    while (true) {
      const std::uint32_t state = stack_.back();
      stack_.pop_back();
      component_[state] = count_;
      if (state == root) break;
    }
    ++count_;
  }

  const Automaton& automaton_;
  Numbers order_, low_, component_, stack_;
  std::vector<Frame> frames_;
  std::uint32_t visits_ = 0, count_ = 0;
};

// Which components have a cycle that passes all marks.
std::vector<bool> accepting(const Automaton& automaton,
                            const Components& components) {
  std::vector<Automaton::Marks> marks(components.count(), 0);
  std::vector<bool> has_cycle(components.count(), false);
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    for (const Transition& step : automaton.states[state]) {
      if (components[step.target] != components[state]) continue;
      marks[components[state]] |= step.marks;
      has_cycle[components[state]] = true;
    }
  }
  for (std::size_t c = 0; c < has_cycle.size(); ++c) {
    has_cycle[c] = has_cycle[c] && marks[c] == automaton.marks;
  }
  return has_cycle;
}

// Drops transitions to states from which nothing is accepted, and marks that
// do not matter since their transition is on no accepting cycle.
void prune(Automaton& automaton) {
  const Components components(automaton);
  const std::vector<bool> is_accepting = accepting(automaton, components);
  std::vector<bool> is_useful = is_accepting;
  std::vector<std::vector<std::uint32_t>> members(components.count());
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    members[components[state]].push_back(state);
  }
  for (std::uint32_t c = 0; c < components.count(); ++c) {
    for (const std::uint32_t state : members[c]) {
      for (const Transition& step : automaton.states[state]) {
        if (is_useful[components[step.target]]) is_useful[c] = true;
      }
    }
  }
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    auto& steps = automaton.states[state];
    std::erase_if(steps, [&](const Transition& step) {
      return !is_useful[components[step.target]];
    });
    for (Transition& step : steps) {
      const bool matters = components[step.target] == components[state] &&
                           is_accepting[components[state]];
      if (!matters) step.marks = 0;
    }
  }
}

// `other` can do all that `step` can.
bool covers(const Transition& other, const Transition& step) {
  return other.target == step.target &&
         (other.with & step.with) == other.with &&
         (other.without & step.without) == other.without &&
         (other.marks & step.marks) == step.marks;
}

void drop_covered(std::vector<Transition>& steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  std::vector<Transition> kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    bool needed = true;
    for (std::size_t j = 0; j < steps.size() && needed; ++j) {
      needed = i == j || !covers(steps[j], steps[i]);
    }
    if (needed) kept.push_back(steps[i]);
  }
  steps = std::move(kept);
}

std::vector<Transition> renamed(const std::vector<Transition>& steps,
                                const Numbers& names) {
  std::vector<Transition> out = steps;
  for (Transition& step : out) step.target = names[step.target];
  drop_covered(out);
  return out;
}

// Splits classes of states until those of one class have the same transitions
// to classes.
Numbers classes_of(const Automaton& automaton) {
  Numbers classes(automaton.size(), 0);
  std::size_t count = 1;
  while (true) {
    std::map<std::pair<std::uint32_t, std::vector<Transition>>, std::uint32_t>
        found;
    Numbers refined(automaton.size());
    for (std::uint32_t state = 0; state < automaton.size(); ++state) {
      auto key = std::make_pair(classes[state],
                                renamed(automaton.states[state], classes));
      const auto next = static_cast<std::uint32_t>(found.size());
      refined[state] = found.try_emplace(std::move(key), next).first->second;
    }
    classes = std::move(refined);
    if (found.size() == count) return classes;
    count = found.size();
  }
}

// One state for each class, as far as state 0's reaches; its is 0 again.
void merge(Automaton& automaton) {
  const Numbers classes = classes_of(automaton);
  Numbers member(automaton.size());
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    member[classes[state]] = state;
  }
  Numbers names(automaton.size(), UINT32_MAX), order = {classes[0]};
  names[classes[0]] = 0;
  std::vector<std::vector<Transition>> states;
  for (std::size_t at = 0; at < order.size(); ++at) {
    auto steps = renamed(automaton.states[member[order[at]]], classes);
    for (Transition& step : steps) {
      if (names[step.target] == UINT32_MAX) {
        names[step.target] = static_cast<std::uint32_t>(order.size());
        order.push_back(step.target);
      }
      step.target = names[step.target];
    }
    drop_covered(steps);
    states.push_back(std::move(steps));
  }
  automaton.states = std::move(states);
}

}  // namespace

bool Automaton::accepts_all(std::uint32_t state) const {
  return std::ranges::any_of(states[state], [&](const Transition& step) {
    return step.with == 0 && step.without == 0 && step.target == state &&
           step.marks == marks;
  });
}

bool Automaton::is_decided_by_prefixes() const {
  const Components components(*this);
  const std::vector<bool> is_accepting = accepting(*this, components);
  for (std::uint32_t state = 0; state < size(); ++state) {
    if (is_accepting[components[state]] && !accepts_all(state)) return false;
  }
  return true;
}

void simplify(Automaton& automaton) {
  prune(automaton);
  merge(automaton);
  prune(automaton);
}

}  // namespace plumb::ltl
