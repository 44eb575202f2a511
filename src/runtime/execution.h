// SPDX-License-Identifier: Apache-2.0
// Runs one execution of a test under a scheduler.
#pragma once

#include <cstdint>

#include "runtime/core.h"
#include "runtime/heap.h"
#include "sched/scheduler.h"

namespace plumb::runtime {

struct Settings {
  HeapMode heap = HeapMode::kLifo;
  std::uint32_t steps = 20'000;   // events of one execution, at most
  std::uint32_t rand_values = 4;  // what rand() and its like choose from
  bool find_races = true;         // else plain accesses are events as well
  bool find_leaks = true;
  // Weak compare-exchanges fail, and waits end, for no reason.
  bool weak_cas_fails = true;
  bool waits_end = true;
  bool audit = false;  // look for accesses that no hook announces (audit.h)
};

// Before the first execution of a search: what the program's data is now is
// what its executions start from.  Returns false if there is no memory.
bool prepare();

// After the last one: the program's data is again what it was.
void finish();

struct Outcome {
  sched::RunEnd end = sched::RunEnd::kComplete;
  Finding finding;  // kNone: nothing was found
  ThreadMask waiting = 0;
  bool missed_races = false;  // there was no memory to look for all
  ThreadMask cut = 0;         // of those waiting: the loop guard stopped them
  // The loop guard must find out something first; the run is to be repeated,
  // and scheduler.end_run() was not called.
  bool asked = false;
  std::uint32_t events = 0;
  bool spared = false;  // something could have failed once more for no reason
};

// Runs `main(argument)` as thread 0 until all threads ended, or cannot go on.
// Requires: scheduler.start_run() said yes; calls its end_run().
Outcome run(sched::Scheduler& scheduler, const Settings& settings,
            void* (*main)(void*), void* argument);

// For those who want to see what an execution led to: called at its end, before
// anything is put back or unmapped, while not null.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void look() = 0;
};
extern Onlooker* onlooker __attribute__((visibility("hidden")));

// What each thread was about to do when the last execution ended.
const Event* pending_events();

// The settings of the execution that runs.
const Settings& settings();

// For those who want to see more than events: called for every access of a
// thread that could matter, and for every event, while not null.
struct Sight {
  Event event;
  bool is_plain = false;
  std::uint64_t before = 0;  // what the memory held, up to 8 bytes
  const std::uintptr_t* frames = nullptr;  // call sites, outermost first
  std::uint32_t depth = 0;
  std::uintptr_t pc = 0;
};
using Watcher = void (*)(const Sight& sight);
extern Watcher watcher __attribute__((visibility("hidden")));

// Do threads of the test's run that no execution has started?
bool has_outsiders();

}  // namespace plumb::runtime
