// SPDX-License-Identifier: Apache-2.0
// From a run of a reduced system to a run of the system itself.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lts/path.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::verify {

// A transition of the reduced system.
struct FoldedStep {
  std::vector<lts::Label> labels;  // those that are taken
  // The state that they lead to, before it is made canonical.  Not looked at
  // if labels were left away at the end.
  lts::StateBytes after;
  bool is_whole = true;    // no labels were left away
  lts::Renaming renaming;  // what makes it canonical
};

// The run in `system`, by the names of its initial state.  `symmetry`: of the
// reduced system, or null; `first`: what made its initial state canonical.
// Aborts if there is no such run: that would be an error of ours.
lts::Path unfold(const lts::System& system, const lts::Symmetry* symmetry,
                 const lts::Renaming& first, std::span<const FoldedStep> steps);

}  // namespace plumb::verify
