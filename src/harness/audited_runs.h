// SPDX-License-Identifier: Apache-2.0
// Executions that are audited (runtime/audit.h), before a search and during it.
#pragma once

#include "harness/run_program.h"
#include "runtime/execution.h"
#include "sched/random.h"
#include "sched/trace.h"

namespace plumb::harness {

// A few executions of a program, to find what a search would not see: up to
// the first that fails because of that.  The search comes to others by itself.
runtime::Outcome audit_program(runtime::Settings settings, ProgramRun& run,
                               sched::Recorded& walk);

// The execution with this trace, audited.  Is there more to be told of it now?
bool audit_again(const sched::Trace& trace, runtime::Settings settings,
                 ProgramRun& run);

}  // namespace plumb::harness
