// SPDX-License-Identifier: Apache-2.0
#include "oracle/progress.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace plumb::oracle {
namespace {

using lts::LabelKind;
using testing::TableSystem;
using verify::Progress;
using Transition = TableSystem::Transition;
using Allowed = std::function<bool(const Transition&)>;

std::optional<std::size_t> smaller(std::optional<std::size_t> a,
                                   std::optional<std::size_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Is there a path of allowed steps from `from` to `to` that visits no state
// twice?  Tries them all.
bool reaches(const TableSystem& system, std::size_t from, std::size_t to,
             const Allowed& allowed, std::vector<bool>& visited) {
  if (from == to) return true;
  visited[from] = true;
  bool found = false;
  for (const Transition& step : system.state(from).transitions) {
    if (allowed(step) && !visited[step.to] &&
        reaches(system, step.to, to, allowed, visited)) {
      found = true;
    }
  }
  visited[from] = false;
  return found;
}

bool has_cycle(const TableSystem& system, std::size_t state,
               const Transition& first, const Allowed& allowed) {
  std::vector<bool> visited(system.states());
  return allowed(first) && reaches(system, first.to, state, allowed, visited);
}

// Is `state` on a cycle of allowed steps, one of which is `needed`?  Such a
// cycle goes to the source of that step, takes it, and comes back.
bool on_bad_cycle(const TableSystem& system, std::size_t state,
                  const Allowed& allowed, const Allowed& needed) {
  for (std::size_t other = 0; other < system.states(); ++other) {
    for (const Transition& step : system.state(other).transitions) {
      if (!needed(step) || !allowed(step)) continue;
      std::vector<bool> visited(system.states());
      if (reaches(system, state, other, allowed, visited) &&
          reaches(system, step.to, state, allowed, visited)) {
        return true;
      }
    }
  }
  return false;
}

bool on_bad_cycle(const TableSystem& system, std::size_t state,
                  Progress property) {
  const Allowed internal = [](const Transition& step) {
    return step.label.kind == LabelKind::kInternal;
  };
  if (property == Progress::kLockFree) {
    return std::ranges::any_of(
        system.state(state).transitions, [&](const Transition& step) {
          return has_cycle(system, state, step, internal);
        });
  }
  for (std::size_t p = 0; p < system.processes(); ++p) {
    const Allowed own_step = [&](const Transition& step) {
      return internal(step) && step.label.process == p;
    };
    const Allowed not_its_end = [&](const Transition& step) {
      return step.label.kind != LabelKind::kFault &&
             (step.label.process != p || internal(step));
    };
    const bool wait_free = property == Progress::kWaitFree;
    if (on_bad_cycle(system, state, wait_free ? not_its_end : own_step,
                     own_step)) {
      return true;
    }
  }
  return false;
}

// Walks along some shortest path and keeps the balance of calls.
bool has_pending(const TableSystem& system, std::size_t state) {
  const auto far = distances(system);
  std::uint64_t pending = 0;
  for (std::size_t at = state; far[at] != 0;) {
    for (std::size_t from = 0; from < system.states(); ++from) {
      const auto& steps = system.state(from).transitions;
      const auto step = std::ranges::find_if(steps, [&](const Transition& t) {
        return t.to == at && t.label.kind != LabelKind::kFault;
      });
      if (step == steps.end() || !far[from] || *far[from] + 1 != *far[at]) {
        continue;
      }
      pending += step->label.kind == LabelKind::kInvoke;
      pending -= step->label.kind == LabelKind::kReturn;
      at = from;
      break;
    }
  }
  return pending != 0;
}

bool is_bad(const TableSystem& system, std::size_t state, Progress property) {
  const TableSystem::State& entry = system.state(state);
  if (property == Progress::kDeadlockFree) {
    return entry.transitions.empty() && entry.cut == 0 &&
           has_pending(system, state);
  }
  return entry.waiting != 0 || on_bad_cycle(system, state, property);
}

}  // namespace

std::vector<std::optional<std::size_t>> distances(const TableSystem& system) {
  std::vector<std::optional<std::size_t>> far(system.states());
  far[0] = 0;
  for (std::size_t round = 0; round < system.states(); ++round) {
    for (std::size_t from = 0; from < system.states(); ++from) {
      if (far[from] != round) continue;
      for (const Transition& step : system.state(from).transitions) {
        if (step.label.kind == LabelKind::kFault) continue;
        if (!far[step.to]) far[step.to] = round + 1;
      }
    }
  }
  return far;
}

std::optional<std::size_t> nearest_fault(const TableSystem& system) {
  const auto far = distances(system);
  std::optional<std::size_t> nearest;
  for (std::size_t from = 0; from < system.states(); ++from) {
    for (const Transition& step : system.state(from).transitions) {
      if (!far[from] || step.label.kind != LabelKind::kFault) continue;
      nearest = smaller(nearest, *far[from] + 1);
    }
  }
  return nearest;
}

std::optional<std::size_t> nearest_violation(const TableSystem& system,
                                             Progress property) {
  const auto far = distances(system);
  std::optional<std::size_t> nearest;
  for (std::size_t state = 0; state < system.states(); ++state) {
    if (far[state] && is_bad(system, state, property)) {
      nearest = smaller(nearest, far[state]);
    }
  }
  return nearest;
}

bool is_cut(const TableSystem& system, std::size_t bound) {
  const auto far = distances(system);
  for (std::size_t state = 0; state < system.states(); ++state) {
    if (far[state] && system.state(state).cut >> bound & 1) return true;
  }
  return false;
}

}  // namespace plumb::oracle
