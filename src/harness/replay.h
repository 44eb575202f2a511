// SPDX-License-Identifier: Apache-2.0
// One execution again, as a schedule has it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/budget.h"
#include "harness/explore.h"
#include "harness/schedule.h"
#include "sched/graph_replay.h"
#include "sched/trace.h"

namespace plumb::harness {

// `diverged`: the schedule could not be kept.
struct Replayed {
  runtime::Outcome outcome;
  bool diverged = false;
  bool is_deadlock = false;
  // It was cut off, and nothing had changed for long.  That is what a livelock
  // looks like, but a thread may have been counting.
  bool goes_in_circles = false;
  // Of a graph: the strongest model that allows it, and what is wrong with it.
  std::optional<sched::MemoryModel> allowed_by;
  std::shared_ptr<const sched::GraphReplay> graph;  // ... and the run itself
  Judgement judgement;
  CallTrace calls;
};
Replayed replay(const Question& question, const Schedule& schedule,
                Budget& budget);

// May the calls of an execution that got stuck wait for ever?  By the order of
// a trace; without one, as it happened.
check::Answer judge_stuck(const Question& question, const ProgramRun& run,
                          const sched::Trace* trace, CallTrace& calls,
                          Budget& budget);

}  // namespace plumb::harness
