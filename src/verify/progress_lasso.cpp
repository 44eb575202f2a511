// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "verify/evidence.h"
#include "verify/progress.h"

namespace plumb::verify {
namespace {

using lts::Label;
using lts::LabelKind;

// Does the last state of the path wait in vain?
bool waits_in_vain(const lts::Lasso& lasso, Progress property,
                   const lts::System& system) {
  lts::Successors last;
  system.successors(lasso.path.states.back(), last);
  const std::uint64_t pending = pending_after(lasso.path.labels);
  if (property == Progress::kDeadlockFree) {
    return pending != 0 && last.size() == 0 && last.cut == 0;
  }
  return lasso.waits && (last.waiting & pending) >> lasso.process & 1;
}

bool cycle_violates(std::span<const Label> cycle, std::size_t process,
                    Progress property) {
  const auto is_internal = [](const Label& label) {
    return label.kind == LabelKind::kInternal;
  };
  const auto is_own = [process](const Label& label) {
    return label.process == process;
  };
  switch (property) {
    case Progress::kDeadlockFree:
      return false;
    case Progress::kLockFree:
      return std::ranges::all_of(cycle, is_internal);
    case Progress::kWaitFree: {
      bool moves = false;
      for (const Label& label : cycle) {
        if (!is_own(label)) continue;
        if (!is_internal(label)) return false;
        moves = true;
      }
      return moves;
    }
    case Progress::kObstructionFree:
      return std::ranges::all_of(cycle, is_internal) &&
             std::ranges::all_of(cycle, is_own);
  }
  return false;
}

}  // namespace

bool violates(const lts::Lasso& lasso, Progress property,
              const lts::System& system) {
  const lts::Path& path = lasso.path;
  if (!lts::is_run_of(path, system) || lasso.back_to > path.size() ||
      lasso.process >= system.processes()) {
    return false;
  }
  for (const Label& label : path.labels) {
    if (label.kind == LabelKind::kFault) return false;
  }
  if (lasso.back_to == path.size()) {
    return waits_in_vain(lasso, property, system);
  }
  return path.states[lasso.back_to] == path.states.back() &&
         cycle_violates(std::span(path.labels).subspan(lasso.back_to),
                        lasso.process, property);
}

}  // namespace plumb::verify
