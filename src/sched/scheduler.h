// SPDX-License-Identifier: Apache-2.0
// The seam between running threads and searching through their orders.
#pragma once

#include <cstdint>

#include "sched/event.h"

namespace plumb::sched {

// What can happen next.
struct Situation {
  ThreadMask enabled = 0;          // never 0
  ThreadMask yielding = 0;         // of these: asked that others go on
  ThreadId current = 0;            // who ran last; it may not be enabled
  const Event* pending = nullptr;  // by thread: what each is about to do
};

enum class RunEnd : std::uint8_t {
  kComplete,   // every thread came to its end
  kStuck,      // some threads wait, and nobody can wake them
  kAbandoned,  // pick() said so, or the run was cut short
  kFailed,     // a finding ended it
};

class GraphScheduler;

// Decides what happens next.  Lives across all runs of one search, so that it
// can plan later runs from earlier ones; knows nothing of threads or fibers.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A run is about to start.  Returns false if there is nothing left to run.
  virtual bool start_run() = 0;

  // The run that is under way was broken off.  Will it be done once more, with
  // the same choices so far?
  virtual bool repeat_run() { return false; }

  // Picks one of the enabled threads, or kNoThread to abandon the run.
  virtual ThreadId pick(const Situation& situation) = 0;

  // Picks one of 0 .. bound-1 for a thread.
  virtual std::uint32_t choose(ThreadId thread, std::uint32_t bound) = 0;

  // May what this thread does fail, or end, for no reason: a weak
  // compare-exchange, a wait?
  virtual bool fails(ThreadId thread) { return choose(thread, 2) != 0; }

  // The thread that was picked has just done this.
  virtual void saw(const Event& event) = 0;

  // The run is over.  `waiting`: threads that did not end, by what they are
  // about to do (Situation::pending).
  virtual void end_run(RunEnd end, ThreadMask waiting,
                       const Event* pending) = 0;

  // This one, if it also decides what is read (graph_scheduler.h); else reads
  // read what is in memory.
  virtual GraphScheduler* graphs() { return nullptr; }
};

}  // namespace plumb::sched
