// SPDX-License-Identifier: Apache-2.0
// Ways to decide with reductions, for tests that compare them with none.
#pragma once

#include <string>
#include <vector>

#include "lts/reduction.h"
#include "verify/outcome.h"

namespace plumb::testing {

// PLUMB_ROUNDS=20 asks for twenty times as many models.
unsigned rounds(unsigned usual);

struct Way {
  std::string name;
  lts::Reductions reductions;
  verify::Options options = {};
};

// Each reduction alone, all of them, all on two threads and depth-first.
std::vector<Way> ways_to_reduce();

}  // namespace plumb::testing
