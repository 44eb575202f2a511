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
//
// Some graphs have no history: two threads see two independent calls in
// different orders (IRIW).  See unordered_calls.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/call_trace.h"
#include "harness/realizations.h"
#include "harness/run_program.h"
#include "harness/schedule.h"
#include "harness/shrink.h"
#include "sched/graph_scheduler.h"

namespace plumb::harness {

// What a graph says of pairs of its calls, by call: a mask of others.
struct CallPairs {
  std::uint32_t size = 0;
  bool all_are_seen = true;                 // does each call have events?
  std::array<CallMask, kMaxCalls> before;   // they happen before it
  std::array<CallMask, kMaxCalls> begun;    // ... begin before it ends
  std::array<CallMask, kMaxCalls> allowed;  // could be made to begin after it
  // Of its events.
  std::array<sched::EventId, kMaxCalls> first, last;
};
CallPairs pairs_of(const ProgramRun& run, const sched::GraphScheduler& search,
                   sched::MemoryModel model);

// Puts the order of the last execution into `calls`, which run.fill() filled.
// Returns false if there is none.
bool order_by_pairs(const CallPairs& pairs, CallTrace& calls);
inline bool order_by_graph(const ProgramRun& run,
                           const sched::GraphScheduler& search,
                           sched::MemoryModel model, CallTrace& calls) {
  return order_by_pairs(pairs_of(run, search, model), calls);
}

// By event of the graph: what was seen when it was done.
std::vector<std::vector<std::uint32_t>> numbers_of(
    const sched::GraphScheduler& search);

// What must come before what if the graph is to be the same.
EventOrder order_of_graph(const sched::GraphScheduler& search);

// The steps of an execution in which threads go on as `threads` has it.
std::vector<Step> steps_of_graph(const sched::GraphScheduler& search,
                                 const std::vector<sched::ThreadId>& threads);

}  // namespace plumb::harness
