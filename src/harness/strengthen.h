// SPDX-License-Identifier: Apache-2.0
// Which memory orders to strengthen so that a program holds: found by trying.
#pragma once

#include <string>
#include <vector>

#include "harness/explore.h"

namespace plumb::harness {

// "queue.h:14: store, relaxed -> release": all of these together suffice.
using Remedy = std::vector<std::string>;

struct Remedies {
  // The smallest sets, if there was time, else one that can do without none of
  // its members; each was confirmed by a search.
  std::vector<Remedy> sets;
  bool none_helps = false;  // not even seq_cst everywhere
};

// For a program that is violated in question.memory; of what is found up to
// `end`, and in five seconds at most.
Remedies find_remedies(Question question, Budget::Clock::time_point end);

}  // namespace plumb::harness
