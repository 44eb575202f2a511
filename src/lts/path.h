// SPDX-License-Identifier: Apache-2.0
// A run of a system: its states, and the labels between them.
#pragma once

#include <cstddef>
#include <vector>

#include "lts/system.h"

namespace plumb::lts {

// states.size() == labels.size() + 1, and states[0] is initial.
struct Path {
  std::vector<StateBytes> states;
  std::vector<Label> labels;

  std::size_t size() const { return labels.size(); }
};

// A path, then a cycle that goes on for ever: the last state of the path is
// states[back_to] again.  A process that waits in vain gives a cycle of no
// steps: back_to == size().
struct Lasso {
  Path path;
  std::size_t back_to = 0;
  std::size_t process = 0;  // who makes no progress, where it is one process
  bool waits = false;       // that process waits for ever
};

// Follows `path` in `system`: does each step exist, from the initial state,
// with just this label and next state?
bool is_run_of(const Path& path, const System& system);

}  // namespace plumb::lts
