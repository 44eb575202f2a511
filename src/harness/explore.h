// SPDX-License-Identifier: Apache-2.0
// Runs a program again and again until there is a verdict.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/samples.h"
#include "check/verdict.h"
#include "harness/case.h"
#include "harness/judge.h"
#include "harness/run_program.h"
#include "harness/schedule.h"
#include "harness/statistics.h"
#include "harness/stuck.h"
#include "runtime/core.h"
#include "sched/execution_graph.h"

namespace plumb::harness {

struct Exploration {
  check::Answer answer = check::Answer::kUnknown;
  std::string reason;       // kUnknown: which limit was reached
  std::string note;         // kHolds: what was only seen by the audit
  bool exhaustive = false;  // every execution was looked at
  // kViolated: a fault, or (kNone) a history that nothing explains.
  runtime::Finding finding;
  // ... and the execution that shows it.
  std::optional<Schedule> schedule;
  Statistics statistics;
};

// What to explore, of which test.
struct Question {
  const test::Case* test = nullptr;
  const Program* program = nullptr;  // of a free-form test: an empty one
  std::uint32_t number = 0;          // of the program, for schedules
  Heap heap = Heap::kLifo;
  Settings settings;
  Judge* judge = nullptr;  // null: only faults are looked for
  // Explore execution graphs of this memory model, not orders of threads.
  std::optional<sched::MemoryModel> memory;
  // Asked whether calls may wait for ever; null: they may not.
  StuckJudge* stuck = nullptr;
  // When the budget ends.
  Budget::Clock::time_point end = Budget::Clock::time_point::max();
  // Look for what hooks do not tell of, before the search begins?  If not, the
  // search begins anew with an audit when it comes to such code.
  bool audit_first = true;
  // Did a search of orders come to accesses that weaker orders might matter to,
  // and that no hook announces?
  bool follows_unseen = false;
  // For tests of searches: sees each execution that came to its end, and the
  // search goes on whatever that shows.
  std::function<void(const runtime::Outcome&, const ProgramRun&)> observer;
};

// Executions so far, of all explorations: for progress lines.
extern std::atomic<std::uint64_t> executions_so_far;
// Of the program at hand: how much is behind us, from 0 to 1, as a guess.
extern std::atomic<double> share_done;

// ... and over time; null: nobody wants to know.
extern Samples* execution_samples;

Exploration explore(const Question& question, Budget& budget);

// Before a schedule that is audited is replayed in another process: what is not
// announced by hooks must be known.
void look_for_unseen(const Question& question);

runtime::Settings runtime_settings(const Question& question);

}  // namespace plumb::harness
