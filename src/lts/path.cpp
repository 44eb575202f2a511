// SPDX-License-Identifier: Apache-2.0
#include "lts/path.h"

#include <algorithm>

namespace plumb::lts {
namespace {

bool has_step(const System& system, StateView from, const Label& label,
              StateView to, Successors& scratch) {
  system.successors(from, scratch);
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    if (scratch.label(i) == label && std::ranges::equal(scratch.state(i), to)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_run_of(const Path& path, const System& system) {
  if (path.states.size() != path.labels.size() + 1) return false;
  if (path.states.front() != system.initial()) return false;
  Successors scratch;
  for (std::size_t i = 0; i < path.labels.size(); ++i) {
    if (!has_step(system, path.states[i], path.labels[i], path.states[i + 1],
                  scratch)) {
      return false;
    }
  }
  return true;
}

}  // namespace plumb::lts
