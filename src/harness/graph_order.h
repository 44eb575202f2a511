// SPDX-License-Identifier: Apache-2.0
// Histories of execution graphs: which call may be over before another begins.
//
// A history of a graph is an order of its calls that contains what the graph
// orders (the end of a happens before the beginning of b), and that clients
// could have enforced from outside: the graph is still consistent with an edge
// from the end of a to the beginning of b for each a that comes before b
// [BattyDG13, deny].  Pairs are enough: an order of intervals has no two pairs
// that are unrelated, so a cycle through several such edges shrinks to one
// through a single edge.  Where the edge a -> b is denied, b was invoked before
// a returned: that is all that judges ask.
#pragma once

#include "harness/call_trace.h"
#include "harness/run_program.h"
#include "harness/schedule.h"
#include "harness/shrink.h"
#include "sched/graph_scheduler.h"

namespace plumb::harness {

// Puts the order of the last execution into `calls`, which run.fill() filled.
void order_by_graph(const ProgramRun& run, const sched::GraphScheduler& search,
                    sched::MemoryModel model, CallTrace& calls);

// What must come before what if the graph is to be the same.
EventOrder order_of_graph(const sched::GraphScheduler& search);

// The steps of an execution in which threads go on as `threads` has it.
std::vector<Step> steps_of_graph(const sched::GraphScheduler& search,
                                 const std::vector<sched::ThreadId>& threads);

}  // namespace plumb::harness
