// SPDX-License-Identifier: Apache-2.0
// Names of cells that stay the same along a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lts/system.h"

namespace plumb::report {

// Each state numbers its cells anew, so that equal heaps are equal.  People
// want to follow a cell: along a run, it is called what it was called when it
// was made.  One object follows one run, state by state.
class CellNames {
 public:
  // What a text of the current state, or of a step from it, means.
  std::string translated(const std::string& text);
  std::vector<lts::Variable> translated(std::vector<lts::Variable> variables);

  // The step was taken: from now on, texts are those of the state after it.
  void step(const lts::StepText& text);

 private:
  std::uint32_t name_of(std::size_t number);

  std::vector<std::uint32_t> names_;  // of 1, 2, ... in the current state
  std::uint32_t last_ = 0;            // the largest name given so far
};

}  // namespace plumb::report
