// SPDX-License-Identifier: Apache-2.0
// Which events of an execution must come before which, to tell it in order.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/run_program.h"
#include "harness/shrink.h"
#include "sched/trace.h"

namespace plumb::harness {

// As the trace has it; if its last event failed, all others before that.
EventOrder order_of(const sched::Trace& trace, bool has_failed);

// Ends of calls come as `ends` has them (see Judgement).
void add_real_time(EventOrder& order, const ProgramRun& run,
                   const std::vector<std::uint8_t>& ends);

}  // namespace plumb::harness
