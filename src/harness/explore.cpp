// SPDX-License-Identifier: Apache-2.0
#include "harness/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <utility>

#include "harness/audit.h"
#include "harness/audited_runs.h"
#include "harness/caveats.h"
#include "harness/execution_reasons.h"
#include "harness/explore_states.h"
#include "harness/graph_loops.h"
#include "harness/graph_order.h"
#include "harness/loop_cuts.h"
#include "harness/replay.h"
#include "harness/shown_steps.h"
#include "harness/unordered_calls.h"
#include "report/words.h"
#include "runtime/announcers.h"
#include "runtime/audit.h"
#include "runtime/audit_log.h"
#include "runtime/code_visits.h"
#include "runtime/heap.h"
#include "runtime/left_behind.h"
#include "runtime/library_calls.h"
#include "runtime/patience.h"
#include "runtime/weak_orders.h"
#include "sched/bounded.h"
#include "sched/dpor.h"
#include "sched/graph_walk.h"
#include "sched/random.h"
#include "sched/trust.h"

namespace plumb::harness {

std::atomic<std::uint64_t> executions_so_far = 0;
std::atomic<double> share_done = 0;
Samples* execution_samples = nullptr;

namespace {

// Not each time: there are a million executions in a second.
void note_sample(std::uint64_t executions) {
  constexpr std::uint64_t kBetween = 64;
  if (executions % kBetween != 0 || execution_samples == nullptr) return;
  execution_samples->add(kBetween);
}

using check::Answer;
using runtime::Fault;
using sched::RunEnd;

// What is only watched for data races is audited in all executions up to this,
// then in fewer and fewer; from the first on, if no other thread touched it.
constexpr std::uint64_t kWatchedFaults = 100'000;

constexpr std::uint32_t kPctDepth = 3;

// One search through the executions of a program.
class Explorer final : public StatesHost {
 public:
  Explorer(const Question& question, Budget& budget)
      : question_(question),
        budget_(budget),
        run_(*question.test, *question.program),
        settings_(runtime_settings(question)) {}

  Exploration explore() {
    const runtime::LatestEnd latest(latest_end(question_.end));
    runtime::left = runtime::Left::kNot;
    runtime::start_announcers(true);
    audit_and_search();
    if (runtime::announcers_failed()) {
      begin_anew();
      audit_reason_.clear();
      settings_.audit = is_watching_ = false;
      runtime::start_announcers(false);
      audit_and_search();
    }
    result_.statistics.frees = runtime::heap().frees() > run_.last_frees();
    result_.statistics.reuses = runtime::heap().reuses() > 0;
    result_.statistics.could_share = runtime::heap().could_share();
    result_.statistics.weak_orders = runtime::weak_orders;
    result_.statistics.weak_orders.has_untold &= settings_.weak_cas_fails;
    result_.statistics.asks_thread = runtime::thread_was_asked;
    result_.statistics.compares_times = runtime::times_were_compared;
    result_.statistics.seen = ProgramRun::seen;
    result_.statistics.has_unseen = follows_unseen();
    if (question_.memory) {
      result_.statistics.graphs =
          std::exchange(result_.statistics.executions, 0);
    }
    return std::move(result_);
  }

 private:
  void begin_anew() {
    result_ = Exploration{};
    unknown_reason_.clear();
  }

  void audit_and_search() {
    if (may_audit() && question_.audit_first && !audit()) return;
    if (is_spoilt()) return;
    if (runtime::left == runtime::Left::kLong) {
      runtime::left = runtime::Left::kNot;  // the search will tell
    } else if (runtime::left != runtime::Left::kNot && limit_reached()) {
      return;
    }
    if (!question_.observer) {
      runtime::watch_visits();
      runtime::forget_library_calls();
    }
    known_sites_ = runtime::unseen_count();
    search();
    if (must_audit() && !runtime::announcers_failed()) {
      begin_anew();
      follow_unseen();
      search();
    }
  }

  void search() {
    runtime::heap().start_search();
    if (question_.memory) {
      explore_graphs();
    } else {
      explore_orders();
    }
  }

  bool may_audit() const {
    return question_.settings.audit && !question_.observer &&
           runtime::can_audit() && runtime::spoilt_at == 0;
  }

  // Has the search, unaudited, come to code that no hook tells of?
  bool must_audit() const {
    if (settings_.audit || !may_audit() || question_.memory) return false;
    return visited_unseen() != 0 || runtime::library_calls().plain != 0 ||
           runtime::unseen_count() != known_sites_;
  }

  // Is there more to be told of this execution, run again with an audit?
  bool tells_more(const sched::Trace& trace) override {
    if (!runtime::visited_stretches() || settings_.audit || !may_audit()) {
      return false;
    }
    return audit_again(trace, settings_, run_);
  }

  void follow_unseen() {
    settings_.audit = true;
    is_watching_ = !audit_makes_events();
    faults_to_watch_ = audit_matters() || runtime::library_calls().plain != 0
                           ? kWatchedFaults
                           : 0;
    first_fault_ = runtime::audit::faults();
    known_sites_ = runtime::unseen_count();
  }

  void explore_orders() {
    switch (question_.settings.search) {
      case SearchKind::kExhaustive:
        explore_all();
        break;
      case SearchKind::kStates:
        if (explore_states() != StatesEnd::kDone) explore_all();
        break;
      case SearchKind::kPreemptions:
        explore_bounded();
        break;
      case SearchKind::kRandom: {
        sched::RandomWalk walk(question_.settings.seed);
        explore_recorded(walk, "a random search");
        break;
      }
      case SearchKind::kPct: {
        sched::Pct pct(question_.settings.seed, kPctDepth);
        explore_recorded(pct, "a random search with priorities");
        break;
      }
    }
  }

  // What others touch, too, or what may be more than plain.  Other heaps give
  // blocks to others.
  bool follows_unseen() const {
    if (!settings_.audit) return false;
    return !is_watching_ ||
           (question_.heap == Heap::kQuarantine && audit_matters());
  }

  // Returns false if the audit found a violation, which is told.
  bool audit() {
    AuditWalk walk(1);
    const runtime::Outcome outcome = audit_program(settings_, run_, walk);
    settings_.audit = true;
    if (outcome.end == RunEnd::kFailed && is_violation(outcome, nullptr)) {
      ++result_.statistics.executions;
      tell_recorded(outcome, walk);
      return false;
    }
    audit_reason_ = std::exchange(unknown_reason_, "");
    // Others may touch what they do in other executions only.
    settings_.audit = false;
    if (runtime::unseen_count() != 0 || audit_makes_events()) follow_unseen();
    return true;
  }

  // Is there something to stop for?
  bool limit_reached() override {
    if (must_audit() || runtime::announcers_failed()) return true;
    const std::uint64_t most = question_.settings.executions;
    const std::uint64_t runs =
        result_.statistics.executions + result_.statistics.blocked;
    if (most != 0 && runs >= most) {
      set_unknown(fmt::format("the bound of {} executions was reached", most));
      return true;
    }
    if (is_spoilt()) return true;
    if (runtime::left == runtime::Left::kLong) {
      set_unknown(unknown_reason_);  // others would take as long
      return true;
    }
    // Budgets look at the clock after many steps; runs may be long.
    const bool ticked = std::exchange(runtime::ticked, false);
    const bool look = ticked || runtime::left != runtime::Left::kNot;
    if (look ? budget_.spent_now() : budget_.spent()) {
      set_unknown(budget_.describe_limit());
      if (runtime::left == runtime::Left::kLost) {
        result_.reason += ", in code that did not come back in time";
      }
      return true;
    }
    return false;
  }

  // See runtime::spoilt_at.
  bool is_spoilt() {
    if (runtime::spoilt_at == 0) return false;
    const std::string cause =
        unknown_reason_.empty() ? audit_reason_ : unknown_reason_;
    const std::string why = reason_of_library(runtime::spoilt_at);
    set_unknown(cause.empty() ? why : cause + "; " + why);
    return true;
  }

  // What was left in the middle has not diverged.  Probes may have been left
  // before an execution that came to its end, or failed.
  bool was_left(const runtime::Outcome& outcome) override {
    if (runtime::left == runtime::Left::kNot) return false;
    const bool has_ended = outcome.end != RunEnd::kAbandoned &&
                           outcome.finding.fault != Fault::kUnsupported;
    if (has_ended && outcome.cut == 0) return false;
    if (outcome.finding.fault == Fault::kUnsupported) {
      unknown_reason_ = outcome.finding.text;
    }
    return limit_reached();
  }

  void set_unknown(std::string reason) {
    result_.answer = Answer::kUnknown;
    result_.reason = std::move(reason);
  }

  // Once more, if loops turn out to need more care than was taken.
  void explore_all() {
    LoopCare care;
    known_announcers_ = runtime::announcer_count();
    const Exploration empty = result_;
    for (;;) {
      sched::Dpor search;
      std::optional<LoopCuts> loops;
      if (question_.settings.cut_loops) {
        runtime::Settings settings = settings_;
        settings.audit &= !is_watching_;
        loops.emplace(search, settings, ProgramRun::main, &run_, care);
      }
      explore_all(search, loops);
      if (!loops || loops->care_needed() == care) return;
      if (result_.answer == Answer::kViolated) return;
      care = loops->care_needed();
      result_ = empty;
      unknown_reason_.clear();
      if (limit_reached()) return;
    }
  }

  // By states.  If that does not tell all it leaves nothing behind.
  StatesEnd explore_states() {
    const Exploration before = result_;
    const std::string reason = unknown_reason_;
    std::uint64_t states = 0;
    const StatesEnd end = harness::explore_states(*this, question_, run_,
                                                  settings_, budget_, states);
    if (end == StatesEnd::kDone) {
      result_.statistics.states = states;
    } else {
      result_ = before;
      unknown_reason_ = reason;
    }
    return end;
  }

  bool accept_state(const runtime::Outcome& outcome, const sched::Trace& trace,
                    bool is_wrong) override {
    if (is_violation(outcome, &trace)) {
      tell(outcome, trace, {});
      return false;
    }
    if (!is_wrong) return true;
    if (!judge_trace(trace, outcome)) return false;
    unknown_reason_ = kDeciders;
    return true;
  }

  void finish_states() override { finish(false); }

  void explore_all(sched::Dpor& search, std::optional<LoopCuts>& loops) {
    bool was_cut = false;
    share_done = 0;
    for (std::uint32_t runs = 1; search.start_run(); ++runs) {
      constexpr std::uint32_t kOften = 4096;
      if (runs % kOften == 0) share_done = search.share_done();
      runtime::Outcome outcome = run_once(search);
      while (outcome.asked) {
        if (budget_.spent_now()) return set_unknown(budget_.describe_limit());
        loops->resolve();
        search.repeat_run();
        outcome = run_once(search);
      }
      if (was_left(outcome)) return;
      if (search.diverged()) return after_divergence();
      if (tells_more(search.trace())) {
        result_.statistics.executions -= outcome.end != RunEnd::kAbandoned;
        result_.statistics.events -= outcome.events;
        search.repeat_run();
        outcome = run_once(search);
      }
      if (outcome.cut != 0 && outcome.end == RunEnd::kStuck) {
        const auto livelock = loops->is_livelock(outcome.cut);
        note_circles(livelock, search.trace());
        if (livelock != LoopCuts::Livelock::kYes) {
          ++result_.statistics.blocked;
          if (limit_reached()) return;
          continue;
        }
        outcome.finding.fault = Fault::kLivelock;
        ++result_.statistics.executions;
      }
      was_cut |= outcome.finding.fault == Fault::kStepLimit;
      if (observed(outcome)) {
        if (limit_reached()) return;
        continue;
      }
      if (is_violation(outcome, &search.trace())) {
        return tell(outcome, search.trace(), {});
      }
      if (outcome.end == RunEnd::kComplete) {
        if (!judge_trace(search.trace(), outcome)) return;
      }
      if (limit_reached()) return;
    }
    finish(was_cut);
  }

  // Threads that go round may be waiting for ever, as calls of theirs may: then
  // it does not matter whether they are.
  void note_circles(LoopCuts::Livelock livelock, const sched::Trace& trace) {
    if (livelock != LoopCuts::Livelock::kNotShown &&
        livelock != LoopCuts::Livelock::kNoWayOut) {
      return;
    }
    if (question_.stuck && judge_stuck(question_, run_, &trace, calls_,
                                       budget_) == Answer::kHolds) {
      return;
    }
    unknown_reason_ = reason_of_circles(livelock);
  }

  // Every consistent graph of the program, or some at random.
  void explore_graphs() {
    if (follows_unseen() || question_.follows_unseen) {
      return set_beyond_graphs("there are accesses that no hook announces");
    }
    settings_.audit = false;
    // Events of a thread have 16 bits, and updates are two.
    constexpr std::uint32_t kMostEvents = 30'000;
    settings_.steps = std::min(settings_.steps, kMostEvents);
    share_done = 0;
    const std::uint64_t seed = question_.settings.seed;
    switch (question_.settings.search) {
      case SearchKind::kRandom:
        return walk_graphs(std::make_unique<sched::RandomWalk>(seed));
      case SearchKind::kPct:
        return walk_graphs(std::make_unique<sched::Pct>(seed, kPctDepth));
      default:
        break;
    }
    sched::Trust search(*question_.memory);
    std::optional<GraphLoops> loops;
    if (question_.settings.cut_loops) {
      loops.emplace(search, settings_, ProgramRun::main, &run_);
    }
    explore_graphs(search, loops ? &*loops : nullptr);
  }

  void walk_graphs(std::unique_ptr<sched::Recorded> threads) {
    sched::GraphWalk walk(*question_.memory, std::move(threads),
                          question_.settings.seed);
    explore_graphs(walk, nullptr);
    if (result_.answer != Answer::kUnknown) return;
    if (result_.statistics.beyond_graphs.fault == Fault::kNone) {
      result_.reason += ", by random walks over execution graphs";
    }
  }

  void explore_graphs(sched::GraphScheduler& search, GraphLoops* loops) {
    while (search.start_run()) {
      runtime::Outcome outcome = run_once(search);
      while (loops != nullptr && outcome.asked) {
        if (budget_.spent_now()) return set_unknown(budget_.describe_limit());
        loops->resolve();
        search.repeat_run();
        outcome = run_once(search);
      }
      if (was_left(outcome)) return;
      if (search.diverged()) {
        return set_beyond_graphs("the same graph did not give the same events");
      }
      if (outcome.finding.fault == Fault::kUnsupported ||
          outcome.finding.fault == Fault::kOutOfMemory) {
        return set_beyond_graphs(outcome.finding.text, outcome.finding.pc);
      }
      if (outcome.finding.fault == Fault::kStepLimit && is_exhaustive()) {
        return set_beyond_graphs(fmt::format(
            "there are executions of more than {} events", settings_.steps));
      }
      if (outcome.cut != 0 && outcome.end == RunEnd::kStuck) {
        if (loops == nullptr || !loops->is_livelock(outcome.cut)) {
          ++result_.statistics.blocked;
          if (limit_reached()) return;
          continue;
        }
        outcome.finding.fault = Fault::kLivelock;
        ++result_.statistics.executions;
      }
      if (!observed(outcome) && !accept_graph(search, outcome)) return;
      if (limit_reached()) return;
    }
    finish(false);
  }

  bool is_exhaustive() const {
    return harness::is_exhaustive(question_.settings.search);
  }

  // What searches of orders can do, and those of graphs cannot.
  void set_beyond_graphs(const std::string& what, std::uintptr_t pc = 0) {
    runtime::Finding& finding = result_.statistics.beyond_graphs;
    finding = unsupported(what, pc);
    set_unknown("weaker orders cannot be explored" + why_not_explored(finding));
  }

  // Returns false if the search is over.
  bool accept_graph(const sched::GraphScheduler& search,
                    const runtime::Outcome& outcome) {
    if (is_violation(outcome, nullptr, &search)) {
      tell_graph(outcome, search, {});
      return false;
    }
    if (outcome.end != RunEnd::kComplete || !question_.judge) return true;
    run_.fill(calls_, nullptr);
    const Judgement judgement = judge_graph(run_, search, *question_.memory,
                                            calls_, *question_.judge, budget_);
    if (judgement.answer == Answer::kViolated) {
      if (is_tainted(true) || is_uncertain_order()) return true;
      tell_graph(outcome, search, judgement.ends);
      return false;
    }
    if (judgement.answer == Answer::kUnknown) {
      unknown_reason_ = judgement.reason;
    }
    return true;
  }

  void explore_bounded() {
    sched::Bounded search(question_.settings.preemptions);
    explore_recorded(search, "");
    if (result_.answer != Answer::kHolds || search.complete()) return;
    set_unknown(fmt::format("only executions with at most {} preemptions",
                            question_.settings.preemptions));
    result_.exhaustive = false;
  }

  void explore_recorded(sched::Recorded& search, const char* name) {
    bool was_cut = false;
    const bool has_end = *name == '\0';
    while (search.start_run()) {
      const runtime::Outcome outcome = run_once(search);
      was_cut |= outcome.finding.fault == Fault::kStepLimit;
      if (observed(outcome)) {
        if (limit_reached()) return;
        continue;
      }
      if (is_violation(outcome, nullptr)) return tell_recorded(outcome, search);
      if (outcome.end == RunEnd::kComplete) {
        if (!judge_as_happened(outcome, search)) return;
      }
      if (limit_reached()) {
        if (!has_end) {
          result_.reason += fmt::format(", by {}", name);
        }
        return;
      }
    }
    finish(was_cut);
  }

  void finish(bool was_cut) {
    if (was_cut) {
      return set_unknown(fmt::format("executions were cut off after {} events",
                                     settings_.steps));
    }
    if (result_.statistics.executions == 0) {
      return set_unknown(unknown_reason_.empty()
                             ? "no execution came to its end"
                             : unknown_reason_);
    }
    if (settings_.audit) {
      const AuditReport report = report_of_audit();
      result_.note = report.followed;
      if (unwatched_ != 0 && !result_.note.empty()) {
        result_.note += fmt::format(
            "; watched for data races in {} of {} executions",
            report::grouped(watched_), report::grouped(watched_ + unwatched_));
      }
      if (!report.lost.empty()) unknown_reason_ = report.lost;
    }
    if (unknown_reason_.empty()) unknown_reason_ = audit_reason_;
    if (unknown_reason_.empty() && !settings_.audit) {
      unknown_reason_ = report_of_visits();
    }
    if (unknown_reason_.empty()) unknown_reason_ = report_of_outsiders();
    if (runtime::left_files() != nullptr && unknown_reason_.empty()) {
      unknown_reason_ = reason_of_files(runtime::left_files());
    }
    if (unknown_reason_.empty()) {
      result_.answer = Answer::kHolds;
      result_.exhaustive = true;
    } else if (question_.memory) {
      set_beyond_graphs(unknown_reason_);
    } else {
      set_unknown(unknown_reason_);
    }
  }

  // With what may go unwatched now and then.
  runtime::Settings settings_of_run() {
    runtime::Settings settings = settings_;
    if (!is_watching_) return settings;
    const std::uint64_t run = watched_ + unwatched_ + 1;
    if (watches_no_more_ ||
        (runtime::audit::faults() - first_fault_ >= faults_to_watch_ &&
         !std::has_single_bit(run))) {
      settings.audit = false;
    }
    ++(settings.audit ? watched_ : unwatched_);
    return settings;
  }

  runtime::Outcome run_once(sched::Scheduler& search) override {
    left_before_ = runtime::left_files();
    const runtime::Outcome outcome =
        runtime::run(search, settings_of_run(), ProgramRun::main, &run_);
    if (is_watching_ && known_sites_ != runtime::unseen_count()) {
      known_sites_ = runtime::unseen_count();
      is_watching_ = !audit_makes_events();
      if (audit_matters()) faults_to_watch_ = kWatchedFaults;
    }
    result_.statistics.events += outcome.events;
    result_.statistics.spared |= outcome.spared;
    if (outcome.missed_races) {
      unknown_reason_ = "there was no memory left to look for data races";
    }
    if (outcome.asked) return outcome;
    if (outcome.end == RunEnd::kStuck && outcome.cut != 0) return outcome;
    if (outcome.end == RunEnd::kAbandoned) {
      ++result_.statistics.blocked;
    } else {
      ++result_.statistics.executions;
      executions_so_far.store(
          executions_so_far.load(std::memory_order_relaxed) + 1,
          std::memory_order_relaxed);
      note_sample(result_.statistics.executions);
    }
    return outcome;
  }

  // Is somebody there who only wants to see executions?
  bool observed(const runtime::Outcome& outcome) override {
    if (!question_.observer) return false;
    if (outcome.end != RunEnd::kAbandoned) question_.observer(outcome, run_);
    return true;
  }

  bool is_violation(const runtime::Outcome& outcome, const sched::Trace* trace,
                    const sched::GraphScheduler* graphs = nullptr) {
    // Limits of ours, not faults of the test.
    if (outcome.finding.fault == Fault::kOutOfMemory ||
        outcome.finding.fault == Fault::kUnsupported) {
      unknown_reason_ = outcome.finding.text;
      if (is_of_audit(outcome.finding)) {
        unknown_reason_ =
            name_of_unseen(outcome.finding) + ": " + unknown_reason_;
      }
      return false;
    }
    if (is_tainted(outcome.end == RunEnd::kFailed)) return false;
    if (settings_.audit && is_uncertain(outcome.finding)) {
      unknown_reason_ = report_of_audit().lost;
      if (unknown_reason_.empty()) {
        unknown_reason_ = reason_of_race(name_of_unseen(outcome.finding));
      }
      return false;
    }
    if (outcome.end != RunEnd::kStuck) return outcome.end == RunEnd::kFailed;
    const Answer answer =
        graphs ? judge_stuck_graph(*graphs)
               : judge_stuck(question_, run_, trace, calls_, budget_);
    if (answer == Answer::kUnknown) {
      unknown_reason_ = "whether calls may wait for ever was not decided";
    }
    return answer == Answer::kViolated;
  }

  // Code without hooks may have ordered calls that seem to do nothing.
  bool is_uncertain_order() {
    if (settings_.audit || may_audit() || visited_unseen() == 0) return false;
    unknown_reason_ = report_of_visits();
    return true;
  }

  // Files are as earlier executions left them: what is found may come of that.
  bool is_tainted(bool is_found) {
    if (!is_found || left_before_ == nullptr) return false;
    unknown_reason_ = reason_of_files(left_before_);
    return true;
  }

  Answer judge_stuck_graph(const sched::GraphScheduler& graphs) {
    if (!question_.stuck) return Answer::kViolated;
    run_.fill(calls_, nullptr);
    if (!order_by_graph(run_, graphs, *question_.memory, calls_)) {
      return Answer::kUnknown;
    }
    return question_.stuck->judge(calls_, budget_);
  }

  // More of what is unseen was found: it is an event from then on, or what
  // threads have seen is more than before.
  void after_divergence() {
    const std::uint32_t sites = runtime::unseen_count();
    bool is_new = (settings_.audit && sites != known_sites_) ||
                  runtime::announcer_count() != known_announcers_;
    // What is left on stacks, and so which loops seem alike, may depend on it.
    if (!is_new && is_watching_ && unwatched_ != 0 && !watches_no_more_) {
      is_new = watches_no_more_ = true;
    }
    if (!is_new) return set_diverged();
    known_sites_ = sites;
    begin_anew();
    explore_all();
  }

  void set_diverged() {
    set_unknown(kDiverged);
    result_.finding.fault = Fault::kDiverged;
  }

  // What nothing explains of the last execution; null: all is well.
  const Judgement* find_unexplained(const sched::Trace* trace) {
    if (!question_.judge) return nullptr;
    run_.fill(calls_, trace);
    const Judgement& judgement = question_.judge->judge(calls_, budget_);
    if (judgement.answer == Answer::kUnknown) {
      unknown_reason_ = judgement.reason;
    }
    const bool is_found = judgement.answer == Answer::kViolated;
    return is_found && !is_tainted(true) && !is_uncertain_order() ? &judgement
                                                                  : nullptr;
  }

  // Returns false if the search is over.
  bool judge_trace(const sched::Trace& trace, const runtime::Outcome& outcome) {
    const Judgement* const found = find_unexplained(&trace);
    if (found != nullptr) tell(outcome, trace, found->ends);
    return found == nullptr;
  }

  bool judge_as_happened(const runtime::Outcome& outcome,
                         const sched::Recorded& search) {
    const Judgement* const found = find_unexplained(nullptr);
    if (found != nullptr) tell_recorded(outcome, search);
    return found == nullptr;
  }

  void set_violated(const runtime::Outcome& outcome) {
    result_.answer = Answer::kViolated;
    result_.finding = outcome.finding;
    if (outcome.end == RunEnd::kStuck &&
        result_.finding.fault == Fault::kNone) {
      result_.finding.fault = Fault::kDeadlock;
    }
    result_.schedule.emplace();
    result_.schedule->program = question_.number;
    result_.schedule->heap = question_.heap;
    result_.schedule->audited =
        settings_.audit || runtime::announcer_count() != 0;
    result_.schedule->memory = question_.memory;
  }

  void tell_graph(const runtime::Outcome& outcome,
                  const sched::GraphScheduler& search,
                  const std::vector<std::uint8_t>& ends) {
    set_violated(outcome);
    result_.schedule->steps =
        steps_that_show({outcome, run_, ends, question_.end}, search);
  }

  // The execution itself shows it.
  void tell_recorded(const runtime::Outcome& outcome,
                     const sched::Recorded& search) {
    set_violated(outcome);
    result_.schedule->memory.reset();
    result_.schedule->steps = steps_of(search);
  }

  void tell(const runtime::Outcome& outcome, const sched::Trace& trace,
            const std::vector<std::uint8_t>& ends) {
    set_violated(outcome);
    result_.schedule->steps =
        steps_that_show({outcome, run_, ends, question_.end}, trace);
  }

  const Question& question_;
  Budget& budget_;
  ProgramRun run_;
  runtime::Settings settings_;
  Exploration result_;
  CallTrace calls_;
  std::string unknown_reason_;
  std::string audit_reason_;           // what was not known after the audit
  const char* left_before_ = nullptr;  // left_files() before this execution
  std::uint32_t known_sites_ = 0;      // of unseen accesses
  std::uint32_t known_announcers_ = 0;
  // All that is unseen is plain.
  bool is_watching_ = false;
  bool watches_no_more_ = false;
  std::uint64_t first_fault_ = 0;
  std::uint64_t faults_to_watch_ = kWatchedFaults;
  std::uint64_t watched_ = 0;  // executions
  std::uint64_t unwatched_ = 0;
};

}  // namespace

Exploration explore(const Question& question, Budget& budget) {
  return Explorer(question, budget).explore();
}

}  // namespace plumb::harness
