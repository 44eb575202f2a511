// SPDX-License-Identifier: Apache-2.0
// A program's executions, searched by states; and when that is the better way.
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
  kDone,     // the host knows the answer
  kCannot,   // states do not tell all of this program
  kTooLong,  // it took more than `events`
};
struct StatesLimit {
  Budget& budget;
  std::uint64_t events = 0;  // that executions do
};
// Every state once; so many `states` were met.  Only kDone leaves something
// behind at the host.
StatesEnd explore_states(StatesHost& host, const Question& question,
                         ProgramRun& run, const runtime::Settings& settings,
                         const StatesLimit& limit, std::uint64_t& states);

// Traces or states?  Programs of short calls have fewer traces than states, and
// long ones have many more.  Nobody knows beforehand; but about how many states
// there will be can be guessed from how many events each thread makes: with
// every place of one thread, every place of the others is possible.
//
// So a search begins with traces.  When these have cost as much as states seem
// to cost, states are tried; when those have cost a few times as much as was
// guessed, traces go on, and so forth, for twice as long.  What is chosen
// wrongly costs a few times what would have been needed, never more.
class StateChoice {
 public:
  explicit StateChoice(bool can) : can_(can) {}

  // An execution has come to its end.
  void note(const sched::Trace& trace);
  // Asked after so many events of a search of traces.
  bool wants_states(std::uint64_t events) const {
    return can_ && guess_ != 0 && events >= next_;
  }
  // How much they may cost: events.
  std::uint64_t most_events() const { return 8 * guess_; }
  // They did not come to the end.
  void was_not(StatesEnd end, std::uint64_t events);

 private:
  // An event costs so much more where traces are searched.
  static constexpr std::uint64_t kDearer = 3;

  bool can_;
  std::uint64_t guess_ = 0;  // how many events a search by states takes
  std::uint64_t next_ = 0;
};

}  // namespace plumb::harness
