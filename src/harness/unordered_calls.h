// SPDX-License-Identifier: Apache-2.0
// Judges graphs whose calls are no intervals of any time.
//
// Threads may see independent calls in different orders: one sees a before b,
// another one b before a, and nothing can be enforced that says who is right.
// Then there is no history.  What clients can do all the same is to order some
// of the calls from outside, if the graph stays consistent; each such order,
// with what the graph orders itself, must be explained.
#pragma once

#include "harness/graph_order.h"
#include "harness/judge.h"
#include "sched/execution_graph.h"

namespace plumb::harness {

// Judges all histories of the last execution, or what it has instead; `calls`
// is as run.fill() filled it.
Judgement judge_graph(const ProgramRun& run,
                      const sched::GraphScheduler& search,
                      sched::MemoryModel model, CallTrace& calls, Judge& judge,
                      Budget& budget);

}  // namespace plumb::harness
