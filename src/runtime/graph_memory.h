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

// What a thread does to a mutex, a condition variable and the like: an update
// of a location beside memory.
struct SyncAccess {
  using Change = sched::Bytes (*)(const sched::Bytes&);
  std::uintptr_t address = 0;
  int order = 0;
  // Null: it has no value, and whether a thread can go on is known by what the
  // run did before (sched::ReadLabel::is_told).
  Change change = nullptr;
  sched::Updates updates = sched::Updates::kAlways;
  bool in_place = false;  // as in sched::ReadLabel
  bool shares = false;
  bool acquires_all = false;
};
// The thread is about to wait for its turn to do this.  `initial`: the value if
// nobody did anything to it before.
void wait_in_graph(const SyncAccess& access, std::uint64_t initial = 0);
// It is done.  Returns whether it was an update, which it is if it `waits`.
bool access_in_graph(const SyncAccess& access, bool waits,
                     std::uint64_t initial = 0);
// It has this value from now on.
void set_in_graph(std::uintptr_t address, std::uint64_t value);
// What others left there, without an order.
std::uint64_t look_in_graph(std::uintptr_t address, std::uint64_t initial);
void fence_in_graph(int order);

}  // namespace plumb::runtime
