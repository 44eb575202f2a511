// SPDX-License-Identifier: Apache-2.0
#include "oracle/refinement.h"

#include <utility>

namespace plumb::oracle {
namespace {

using assertions::Semantics;
using lts::Label;
using lts::LabelKind;
using testing::TableSystem;

// "" if it is internal.
std::string name(const Label& label) {
  if (label.kind == LabelKind::kTerminate) return "terminate";
  if (label.kind != LabelKind::kEvent) return "";
  return std::string(label.value.as_text());
}

States closure(const TableSystem& system, States states) {
  std::size_t before = 0;
  while (before != states.size()) {
    before = states.size();
    for (const std::size_t state : States(states)) {
      for (const auto& step : system.state(state).transitions) {
        if (name(step.label).empty()) states.insert(step.to);
      }
    }
  }
  return states;
}

States after(const TableSystem& system, const States& states,
             const std::string& event) {
  States next;
  for (const std::size_t state : states) {
    for (const auto& step : system.state(state).transitions) {
      if (name(step.label) == event) next.insert(step.to);
    }
  }
  return closure(system, next);
}

bool is_stable(const TableSystem& system, std::size_t state) {
  for (const auto& step : system.state(state).transitions) {
    if (name(step.label).empty()) return false;
  }
  return true;
}

// Is there a way of internal steps with one more step than there are states?
bool diverges(const TableSystem& system, std::size_t state) {
  States now = {state};
  for (std::size_t i = 0; i <= system.states(); ++i) {
    States next;
    for (const std::size_t at : now) {
      for (const auto& step : system.state(at).transitions) {
        if (name(step.label).empty()) next.insert(step.to);
      }
    }
    now = std::move(next);
  }
  return !now.empty();
}

std::vector<std::set<std::string>> subsets(const std::set<std::string>& of) {
  std::vector<std::set<std::string>> all = {{}};
  for (const std::string& event : of) {
    const std::size_t count = all.size();
    for (std::size_t i = 0; i < count; ++i) {
      auto larger = all[i];
      larger.insert(event);
      all.push_back(std::move(larger));
    }
  }
  return all;
}

std::set<std::string> both_alphabets(const TableSystem& one,
                                     const TableSystem& other) {
  auto events = alphabet(one);
  events.merge(alphabet(other));
  return events;
}

// Is all well after one trace, as far as what it ends in is concerned?
bool agree(const TableSystem& implementation, const States& left,
           const TableSystem& specification, const States& right,
           Semantics semantics) {
  if (right.empty()) return false;
  if (semantics == Semantics::kTraces) return true;
  if (semantics == Semantics::kFailuresDivergences) {
    if (may_diverge(specification, right)) return true;
    if (may_diverge(implementation, left)) return false;
  }
  for (const auto& refusal :
       subsets(both_alphabets(implementation, specification))) {
    if (may_refuse(implementation, left, refusal) &&
        !may_refuse(specification, right, refusal)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::set<std::string> alphabet(const TableSystem& system) {
  std::set<std::string> events;
  for (std::size_t state = 0; state < system.states(); ++state) {
    for (const auto& step : system.state(state).transitions) {
      if (!name(step.label).empty()) events.insert(name(step.label));
    }
  }
  return events;
}

Trace trace_of(const lts::Path& path) {
  Trace trace;
  for (const Label& label : path.labels) {
    if (!name(label).empty()) trace.push_back(name(label));
  }
  return trace;
}

States states_after(const TableSystem& system, const Trace& trace) {
  States states = closure(system, {0});
  for (const std::string& event : trace) states = after(system, states, event);
  return states;
}

bool may_diverge(const TableSystem& system, const States& states) {
  for (const std::size_t state : states) {
    if (diverges(system, state)) return true;
  }
  return false;
}

bool may_refuse(const TableSystem& system, const States& states,
                const std::set<std::string>& events) {
  for (const std::size_t state : states) {
    if (!is_stable(system, state)) continue;
    bool refuses = true;
    for (const auto& step : system.state(state).transitions) {
      refuses &= !events.contains(name(step.label));
    }
    if (refuses) return true;
  }
  return false;
}

bool refines(const TableSystem& implementation,
             const TableSystem& specification, Semantics semantics) {
  std::set<std::pair<States, States>> seen;
  std::vector<std::pair<States, States>> open = {
      {closure(implementation, {0}), closure(specification, {0})}};
  while (!open.empty()) {
    const auto [left, right] = std::move(open.back());
    open.pop_back();
    if (left.empty() || !seen.insert({left, right}).second) continue;
    if (!agree(implementation, left, specification, right, semantics)) {
      return false;
    }
    if (semantics == Semantics::kFailuresDivergences &&
        may_diverge(specification, right)) {
      continue;
    }
    for (const std::string& event : alphabet(implementation)) {
      open.emplace_back(after(implementation, left, event),
                        after(specification, right, event));
    }
  }
  return true;
}

std::optional<std::size_t> shortest_violation(const TableSystem& implementation,
                                              const TableSystem& specification,
                                              Semantics semantics) {
  using Pair = std::pair<std::size_t, States>;
  std::set<Pair> seen;
  std::set<Pair> now = {{0, closure(specification, {0})}};
  for (std::size_t length = 0; !now.empty(); ++length) {
    std::set<Pair> next;
    for (const auto& [state, right] : now) {
      if (!seen.insert({state, right}).second) continue;
      if (!agree(implementation, {state}, specification, right, semantics)) {
        return length;
      }
      if (semantics == Semantics::kFailuresDivergences &&
          may_diverge(specification, right)) {
        continue;
      }
      for (const auto& step : implementation.state(state).transitions) {
        const std::string event = name(step.label);
        next.insert({step.to, event.empty()
                                  ? right
                                  : after(specification, right, event)});
      }
    }
    now = std::move(next);
  }
  return std::nullopt;
}

}  // namespace plumb::oracle
