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
#include "harness/stuck.h"
#include "runtime/core.h"
#include "runtime/weak_orders.h"
#include "sched/execution_graph.h"

namespace plumb::harness {

struct Statistics {
  std::uint64_t executions = 0;  // that came to an end of their own
  std::uint64_t blocked = 0;     // that had nothing new, or were cut short
  std::uint64_t events = 0;      // of all of these
  bool frees = false;            // was memory given back?
  bool reuses = false;           // ... and out again?
  // Could a thread have been given what another one had given back?
  bool could_share = false;
  bool asks_thread = false;  // did the code ask which thread it is?
  bool spared = false;       // see runtime::Outcome
  bool compares_times = false;
  SeenOperations seen;
  runtime::WeakOrders weak_orders;
  // What execution graphs do not know, if any was met: weaker orders were not
  // explored then.
  runtime::Finding beyond_graphs;

  void add(const Statistics& more);
};

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
