// SPDX-License-Identifier: Apache-2.0
// The schedule that is shown for an execution, with few switches of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"
#include "harness/run_program.h"
#include "harness/schedule.h"
#include "runtime/execution.h"
#include "sched/graph_scheduler.h"
#include "sched/random.h"
#include "sched/trace.h"

namespace plumb::harness {

// What is to be shown.
struct ShownRun {
  const runtime::Outcome& outcome;
  const ProgramRun& run;
  const std::vector<std::uint8_t>& ends;  // of calls, as they are to come
  Budget::Clock::time_point end;          // of the time that there is
};

// Of the executions of this trace, or with this graph.
std::vector<Step> steps_that_show(const ShownRun& shown,
                                  const sched::Trace& trace);
std::vector<Step> steps_that_show(const ShownRun& shown,
                                  const sched::GraphScheduler& search);
// Just this one.
std::vector<Step> steps_of(const sched::Recorded& search);

}  // namespace plumb::harness
