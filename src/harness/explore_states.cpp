// SPDX-License-Identifier: Apache-2.0
#include "harness/explore_states.h"

#include <algorithm>
#include <optional>

#include "harness/state_search.h"
#include "runtime/races.h"

namespace plumb::harness {

namespace {

using sched::RunEnd;

// While it lives, states tell which data races there can be.
class RaceTracking {
 public:
  explicit RaceTracking(bool find_races) {
    if (find_races) runtime::races().words().start_search();
  }
  ~RaceTracking() { runtime::races().words().stop(); }
  RaceTracking(const RaceTracking&) = delete;
  RaceTracking& operator=(const RaceTracking&) = delete;
};

// One search, up to its end or to something that it should have known.
class OneSearch {
 public:
  OneSearch(StatesHost& host, const Question& question, ProgramRun& run)
      : host_(host), states_(question, run) {}

  // Nothing: it must begin anew.
  std::optional<StatesEnd> explore(Budget& budget, std::uint64_t most_events);

  std::uint64_t events() const { return events_; }
  std::uint64_t states() { return states_.search().states(); }

 private:
  bool run(Budget& budget, runtime::Outcome& outcome);
  bool accept(const runtime::Outcome& outcome);

  StatesHost& host_;
  StateSearch states_;
  std::uint64_t events_ = 0;
};

// Until all that was asked is found out.  False: there was no time.
bool OneSearch::run(Budget& budget, runtime::Outcome& outcome) {
  sched::States& search = states_.search();
  for (;;) {
    outcome = host_.run_once(search);
    events_ += outcome.events;
    if (!search.is_asked()) return true;
    if (budget.spent_now()) return false;
    states_.resolve();
    search.repeat_run();
  }
}

bool OneSearch::accept(const runtime::Outcome& outcome) {
  if (outcome.end == RunEnd::kAbandoned) return true;
  const bool is_complete = outcome.end == RunEnd::kComplete;
  const bool is_wrong =
      states_.search().went_wrong() || (is_complete && !states_.explains_end());
  if (is_complete && !is_wrong) return true;
  return host_.accept_state(outcome, states_.search().ordered_trace(),
                            is_wrong);
}

std::optional<StatesEnd> OneSearch::explore(Budget& budget,
                                            std::uint64_t most_events) {
  sched::States& search = states_.search();
  while (search.start_run()) {
    runtime::Outcome outcome;
    if (!run(budget, outcome)) {
      host_.limit_reached();
      return StatesEnd::kDone;
    }
    if (host_.was_left(outcome)) return StatesEnd::kDone;
    if (runtime::races().words().has_more()) return std::nullopt;
    if (search.diverged() || states_.why_not() != nullptr ||
        outcome.finding.fault == runtime::Fault::kStepLimit ||
        host_.tells_more(search.trace())) {
      return StatesEnd::kCannot;
    }
    if (!host_.observed(outcome) && !accept(outcome)) return StatesEnd::kDone;
    if (host_.limit_reached()) return StatesEnd::kDone;
    if (events_ > most_events) return StatesEnd::kTooLong;
  }
  host_.finish_states();
  return StatesEnd::kDone;
}

}  // namespace

StatesEnd explore_states(StatesHost& host, const Question& question,
                         ProgramRun& run, const runtime::Settings& settings,
                         const StatesLimit& limit, std::uint64_t& states) {
  if (settings.audit || StateSearch::cannot_search(question)) {
    return StatesEnd::kCannot;
  }
  const RaceTracking tracking(settings.find_races);
  for (std::uint64_t spent = 0;;) {
    OneSearch search(host, question, run);
    const auto end = search.explore(limit.budget, limit.events - spent);
    states = search.states();
    spent += search.events();
    if (end) return *end;
    if (spent > limit.events) return StatesEnd::kTooLong;
  }
}

void StateChoice::note(const sched::Trace& trace) {
  if (guess_ != 0) return;
  // Executions that end where a state is known, for each combination of places:
  // measured, of stacks and queues it is about 20 for two threads, and 80 for
  // three.
  constexpr double kEnds = 1.5, kOfEach = 4, kLeast = 100'000, kMost = 1e15;
  double events[sched::kMaxThreads] = {};
  for (const sched::Event& event : trace.events()) events[event.thread] += 1;
  double ends = kEnds;
  for (const double count : events) {
    if (count != 0) ends *= kOfEach * (count + 1);
  }
  guess_ = static_cast<std::uint64_t>(
      std::clamp(ends * static_cast<double>(trace.size()), kLeast, kMost));
  next_ = guess_ / kDearer;
}

void StateChoice::was_not(StatesEnd end, std::uint64_t events) {
  can_ &= end == StatesEnd::kTooLong;
  next_ = events + most_events() / kDearer;
  guess_ *= 8;
}

}  // namespace plumb::harness
