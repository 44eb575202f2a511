// SPDX-License-Identifier: Apache-2.0
// Executions that are audited (runtime/audit.h), before a search and during it.
#pragma once

#include "harness/run_program.h"
#include "runtime/execution.h"
#include "sched/random.h"
#include "sched/trace.h"

namespace plumb::harness {

// At random, and not on for ever: a loop without an end may have hundreds of
// accesses that fault between two events.
class AuditWalk final : public sched::RandomWalk {
 public:
  using RandomWalk::RandomWalk;
  bool start_run() override;
  sched::ThreadId pick(const sched::Situation& situation) override;

 private:
  std::uint64_t most_faults_ = 0;
};

// A few executions of a program, to find what a search would not see: up to
// the first that fails because of that.  The search comes to others by itself.
runtime::Outcome audit_program(runtime::Settings settings, ProgramRun& run,
                               AuditWalk& walk);

// The execution with this trace, audited.  Is there more to be told of it now?
bool audit_again(const sched::Trace& trace, runtime::Settings settings,
                 ProgramRun& run);

}  // namespace plumb::harness
