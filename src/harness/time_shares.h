// SPDX-License-Identifier: Apache-2.0
// Shares a time limit out among the programs of a test.
//
// So one that takes long does not leave the others without any.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "harness/outcome.h"
#include "harness/workers.h"

namespace plumb::harness {

struct Share {
  Budget::Clock::time_point end;
  unsigned round = 0;  // how often programs were begun anew
};

// Each program gets an equal part of the time that is left when it begins.
// What others did not need goes to those that did not come to their end: they
// are begun anew while they can have twice as much as before.  A program whose
// outcome has `out_of_time` for its reason did not.
//
// The outcomes are those of explore_programs().
std::vector<ProgramOutcome> explore_in_shares(
    const WorkPlan& plan, Budget::Clock::time_point end,
    const std::string& out_of_time,
    const std::function<ProgramOutcome(std::size_t, const Share&)>& explore,
    Budget& budget);

}  // namespace plumb::harness
