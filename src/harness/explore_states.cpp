// SPDX-License-Identifier: Apache-2.0
#include "harness/explore_states.h"

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
  std::optional<StatesEnd> explore(Budget& budget);

  std::uint64_t states() { return states_.search().states(); }

 private:
  bool run(Budget& budget, runtime::Outcome& outcome);
  bool accept(const runtime::Outcome& outcome);

  StatesHost& host_;
  StateSearch states_;
};

// Until all that was asked is found out.  False: there was no time.
bool OneSearch::run(Budget& budget, runtime::Outcome& outcome) {
  sched::States& search = states_.search();
  for (;;) {
    outcome = host_.run_once(search);
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

std::optional<StatesEnd> OneSearch::explore(Budget& budget) {
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
  }
  host_.finish_states();
  return StatesEnd::kDone;
}

}  // namespace

StatesEnd explore_states(StatesHost& host, const Question& question,
                         ProgramRun& run, const runtime::Settings& settings,
                         Budget& budget, std::uint64_t& states) {
  if (settings.audit || StateSearch::cannot_search(question)) {
    return StatesEnd::kCannot;
  }
  const RaceTracking tracking(settings.find_races);
  for (;;) {
    OneSearch search(host, question, run);
    const auto end = search.explore(budget);
    states = search.states();
    if (end) return *end;
  }
}

}  // namespace plumb::harness
