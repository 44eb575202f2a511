// SPDX-License-Identifier: Apache-2.0
#include "oracle/reachable.h"

#include <cstdint>
#include <set>

namespace plumb::oracle {
namespace {

using lts::LabelKind;
using testing::TableSystem;

void keep_less(Distance& least, std::size_t distance) {
  if (!least || distance < *least) least = distance;
}

bool is_stuck(const TableSystem& system, std::size_t state) {
  return system.state(state).transitions.empty() &&
         system.state(state).cut == 0;
}

}  // namespace

std::vector<Distance> steps_to_all(const TableSystem& system) {
  std::vector<Distance> all(system.states());
  all[0] = 0;
  for (std::size_t round = 0; round < system.states(); ++round) {
    for (std::size_t from = 0; from < system.states(); ++from) {
      if (!all[from]) continue;
      for (const auto& step : system.state(from).transitions) {
        if (step.label.kind == LabelKind::kFault) continue;
        keep_less(all[step.to], *all[from] + 1);
      }
    }
  }
  return all;
}

Distance to_stuck_state(const TableSystem& system,
                        bool but_not_by_terminating) {
  const auto all = steps_to_all(system);
  Distance least;
  if (is_stuck(system, 0)) least = 0;
  for (std::size_t from = 0; from < system.states(); ++from) {
    if (!all[from]) continue;
    for (const auto& step : system.state(from).transitions) {
      if (step.label.kind == LabelKind::kFault) continue;
      if (but_not_by_terminating && step.label.kind == LabelKind::kTerminate) {
        continue;
      }
      if (is_stuck(system, step.to)) keep_less(least, *all[from] + 1);
    }
  }
  return least;
}

Distance to_internal_cycle(const TableSystem& system) {
  const auto all = steps_to_all(system);
  Distance least;
  for (std::size_t start = 0; start < system.states(); ++start) {
    if (!all[start]) continue;
    std::set<std::size_t> after;
    std::size_t before = SIZE_MAX;
    const auto add_from = [&](std::size_t state) {
      for (const auto& step : system.state(state).transitions) {
        if (step.label.kind == LabelKind::kInternal) after.insert(step.to);
      }
    };
    add_from(start);
    while (before != after.size()) {
      before = after.size();
      for (const std::size_t state : std::set<std::size_t>(after)) {
        add_from(state);
      }
    }
    if (after.contains(start)) keep_less(least, *all[start]);
  }
  return least;
}

Distance to_ambiguous_step(const TableSystem& system) {
  const auto all = steps_to_all(system);
  Distance least;
  for (std::size_t from = 0; from < system.states(); ++from) {
    if (!all[from]) continue;
    const auto& steps = system.state(from).transitions;
    for (const auto& one : steps) {
      if (one.label.kind != LabelKind::kEvent) continue;
      for (const auto& other : steps) {
        if (other.label.kind == LabelKind::kEvent &&
            one.label.value == other.label.value && one.to != other.to) {
          keep_less(least, *all[from] + 1);
        }
      }
    }
  }
  return least;
}

Distance to_fault(const TableSystem& system) {
  const auto all = steps_to_all(system);
  Distance least;
  for (std::size_t from = 0; from < system.states(); ++from) {
    if (!all[from]) continue;
    for (const auto& step : system.state(from).transitions) {
      if (step.label.kind == LabelKind::kFault)
        keep_less(least, *all[from] + 1);
    }
  }
  return least;
}

}  // namespace plumb::oracle
