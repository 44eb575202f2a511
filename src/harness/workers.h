// SPDX-License-Identifier: Apache-2.0
// Explores the programs of a test one by one, or in several processes.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/budget.h"
#include "harness/outcome.h"

namespace plumb::harness {

struct WorkPlan {
  std::size_t programs = 0;
  unsigned processes = 1;
  bool stop_at_violation = true;
  // After this moment, processes that did not end are killed.
  Budget::Clock::time_point end = Budget::Clock::time_point::max();
};

// Asks explore(i) for i = 0, 1, ... and returns what it gave, in this order:
// up to the first violation if the plan says so, and whatever the number of
// processes.  Less if the budget ends; a process that dies leaves an unknown
// outcome.
std::vector<ProgramOutcome> explore_programs(
    const WorkPlan& plan,
    const std::function<ProgramOutcome(std::size_t)>& explore, Budget& budget);

}  // namespace plumb::harness
