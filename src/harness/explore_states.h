// SPDX-License-Identifier: Apache-2.0
// A program's executions, searched by states.
#pragma once

#include <cstdint>

#include "base/budget.h"
#include "harness/explore.h"
#include "harness/run_program.h"
#include "runtime/execution.h"
#include "sched/states.h"
#include "sched/trace.h"

namespace plumb::harness {

// Who runs executions and says what they show.
class StatesHost {
 public:
  virtual ~StatesHost() = default;
  virtual runtime::Outcome run_once(sched::Scheduler& search) = 0;
  // Is there something to stop for?  If so, the answer is known.
  virtual bool limit_reached() = 0;
  virtual bool was_left(const runtime::Outcome& outcome) = 0;
  // There is more to be seen of this execution than there was.
  virtual bool tells_more(const sched::Trace& trace) = 0;
  // Somebody only wants to see executions.
  virtual bool observed(const runtime::Outcome& outcome) = 0;
  // An execution that came to an end; `is_wrong`: nothing explains its calls.
  // Returns false if the search is over.
  virtual bool accept_state(const runtime::Outcome& outcome,
                            const sched::Trace& trace, bool is_wrong) = 0;
  virtual void finish_states() = 0;
};

enum class StatesEnd : std::uint8_t {
  kDone,    // the host knows the answer
  kCannot,  // states do not tell all of this program
};
// Every state once; so many `states` were met.  Only kDone leaves something
// behind at the host.
StatesEnd explore_states(StatesHost& host, const Question& question,
                         ProgramRun& run, const runtime::Settings& settings,
                         Budget& budget, std::uint64_t& states);

}  // namespace plumb::harness
