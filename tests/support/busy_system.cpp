// SPDX-License-Identifier: Apache-2.0
#include "support/busy_system.h"

namespace plumb::testing {

using lts::LabelKind;

lts::StateBytes BusySystem::initial() const {
  lts::StateBytes state = system_.initial();
  state.resize(state.size() + 2);
  return state;
}

void BusySystem::successors(lts::StateView state, lts::Successors& out) const {
  const std::uint8_t pending = state[state.size() - 2], begun = state.back();
  lts::Successors steps;
  system_.successors(state.first(state.size() - 2), steps);
  out.clear();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    lts::Label label = steps.label(i);
    std::uint8_t now = pending, since = most_ == 0 ? std::uint8_t{0} : begun;
    if (label.kind == LabelKind::kInvoke) {
      if (most_ != 0 && since++ >= most_) continue;
      ++now;
    } else if (label.kind == LabelKind::kReturn) {
      if (--now == 0) since = 0;
    }
    if (!codes_.empty()) label.operation = codes_[label.operation];
    lts::StateBytes next(steps.state(i).begin(), steps.state(i).end());
    next.push_back(now);
    next.push_back(since);
    out.add(label, next);
  }
}

}  // namespace plumb::testing
