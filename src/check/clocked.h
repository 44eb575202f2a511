// SPDX-License-Identifier: Apache-2.0
// Histories whose clocks leave open what overlaps, as histories of intervals.
#pragma once

#include "check/busy_periods.h"
#include "history/history.h"

namespace plumb::check {

// Is there an operation that may have been invoked before the one that its
// process did before it returned?  Else intervals say all.
bool processes_overlap(const history::History& history);

// What asks for less order: processes may do several things at a time.
Part without_processes(const history::History& history);

// What asks for more: each process returns from one operation and invokes the
// next in the middle of what is possible.
Part with_moments_between(const history::History& history);

}  // namespace plumb::check
