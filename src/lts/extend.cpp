// SPDX-License-Identifier: Apache-2.0
#include "lts/extend.h"

#include <algorithm>

namespace plumb::lts {

bool extend(Path& path, const System& system, StateView state,
            const std::function<bool(const Label&)>& is_meant) {
  Successors scratch;
  system.successors(path.states.back(), scratch);
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    if (!is_meant(scratch.label(i)) ||
        !std::ranges::equal(scratch.state(i), state)) {
      continue;
    }
    path.labels.push_back(scratch.label(i));
    path.states.emplace_back(state.begin(), state.end());
    return true;
  }
  return false;
}

}  // namespace plumb::lts
