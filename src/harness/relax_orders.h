// SPDX-License-Identifier: Apache-2.0
// Which memory orders are stronger than programs need: found by trying.
#pragma once

#include <string>
#include <vector>

#include "harness/explore.h"

namespace plumb::harness {

struct Relaxations {
  // "queue.h:14: load, seq_cst -> acquire": each by itself, with the others as
  // they are, and as weak as can be.
  std::vector<std::string> lines;
  std::size_t tried = 0;
  bool all_were_tried = true;  // else the time was over
};

// For programs that all hold, given as questions in RC11.
//
// LIMIT: what other programs need is not known; nor what these need where
// memory that was freed is given out again.
Relaxations find_relaxations(std::vector<Question> programs,
                             Budget::Clock::time_point end);

}  // namespace plumb::harness
