// SPDX-License-Identifier: Apache-2.0
// Memory as execution graphs have it: what reads read is asked, not looked up.
//
// Memory itself holds the latest write of each location (the last in mo), so
// plain code works as it is.  Plain accesses are no events of the graph: what
// is not a race reads what happened before, and executions follow
// happens-before.  A location is an atomic object for as long as nothing else
// is written there, and while there is more than one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"
#include "sched/graph_scheduler.h"

namespace plumb::runtime {

// Null: what is read is what memory holds.
extern sched::GraphScheduler* graphs __attribute__((visibility("hidden")));

// For run() alone.
void start_graph_run(sched::GraphScheduler* with);
void end_graph_run(ThreadMask waiting);

// What graphs call the atomic object at this address.  Ends the execution if
// it overlaps one of another size.
std::uint64_t graph_key(std::uintptr_t address, std::size_t size,
                        std::uintptr_t pc);
// Something was written there plainly: another life begins.
void forget_atomics(std::uintptr_t address, std::size_t size);
// One thread is alone, and what it does is in no graph.
void forget_all_atomics();

// What this thread follows, as the graph has it, is told to the races.
void tell_races();

// This was just done.  What is no event of graphs ends the execution, since
// what it means there is not known.
void require_graph_event(const Event& event);
// Only the first thread starts others: elsewhere, how they are numbered depends
// on who comes first.
void require_numbered_threads(std::uintptr_t pc);

// A mutex, in its turn.  try_lock_in_graph() returns whether it was free.
void wait_in_graph(std::uintptr_t address);  // before it is announced
void lock_in_graph(std::uintptr_t address);
bool try_lock_in_graph(std::uintptr_t address, bool is_held);
void unlock_in_graph(std::uintptr_t address);

}  // namespace plumb::runtime
