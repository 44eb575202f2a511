// SPDX-License-Identifier: Apache-2.0
#include "harness/run_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "base/shell_word.h"
#include "check/condition.h"
#include "check/judged_object.h"
#include "harness/audit.h"
#include "harness/caveats.h"
#include "harness/evidence.h"
#include "harness/model_spec.h"
#include "harness/program_searches.h"
#include "harness/programs.h"
#include "harness/progress.h"
#include "harness/replay.h"
#include "harness/run_scopes.h"
#include "harness/shrink.h"
#include "harness/stress.h"
#include "harness/time_shares.h"
#include "harness/translate.h"
#include "harness/unknown_reasons.h"
#include "harness/workers.h"
#include "lang/spec_file.h"
#include "report/words.h"
#include "runtime/audit.h"
#include "runtime/audit_log.h"
#include "runtime/execution.h"
#include "runtime/library_calls.h"
#include "runtime/patience.h"
#include "runtime/weak_orders.h"
#include "sched/random.h"

namespace plumb::harness {

namespace {

using check::Answer;
using Clock = std::chrono::steady_clock;

// Random searches have no end of their own.
constexpr std::uint64_t kRandomExecutions = 10'000;
// Beyond the time limit, to explain what was found in the last moments.
constexpr auto kToExplain = std::chrono::milliseconds(500);
// A part of a program that is violated mostly shows it soon.
constexpr std::uint64_t kExecutionsToShrink = 2'000;
// Puts the place of the test before an error that has none.
[[noreturn]] void throw_at(const test::Case& test, const InputError& error) {
  if (!error.place().source.empty()) throw error;
  throw InputError(test.place(), error.what(), error.hint());
}

class TestRun {
 public:
  TestRun(const test::Case& test, const Options& options, Budget& budget,
          const Found& found);
  TestResult run();

 private:
  void find_specification();
  std::optional<std::vector<std::optional<Value>>> serially(
      std::span<const int> calls) const;
  Settings settings_of(const Options& options) const;
  Question question(std::size_t program, Heap heap) const {
    return searches_.question(program, heap);
  }
  void make_programs(bool threads_alike);
  Budget::Clock::time_point end_of_part(int parts) const;
  std::vector<ProgramOutcome> explore_list();
  std::vector<ProgramOutcome> explore_all();

  void relax_orders();
  void replay();
  void stress_test();
  void sum_up(const std::vector<ProgramOutcome>& outcomes);
  std::string notes_of(const std::vector<ProgramOutcome>& outcomes) const;
  bool does_anything_unseen();
  void set_unknown(const std::vector<ProgramOutcome>& outcomes);
  void set_violated(const ProgramOutcome& outcome);
  bool is_confirmed(const ProgramOutcome& outcome) const;
  std::string why_not_shown(const Schedule& schedule) const;
  double seconds() const;
  bool has_time() const;
  void look_for_smaller(const ProgramOutcome& outcome);
  std::string command_for(const std::string& schedule) const;

  const test::Case& test_;
  const Options& options_;
  Budget& budget_;
  const Found& found_;
  const Clock::time_point start_ = Clock::now();
  Settings settings_;
  std::unique_ptr<Judge> judge_;  // null: of a free-form test
  std::unique_ptr<StuckJudge> stuck_;
  ProgramList list_;
  TestResult result_;
  ProgramSearches searches_{
      {test_, options_, settings_, list_, judge_, stuck_}};
};

TestRun::TestRun(const test::Case& test, const Options& options, Budget& budget,
                 const Found& found)
    : test_(test),
      options_(options),
      budget_(budget),
      found_(found),
      settings_(settings_of(options)) {
  result_.name = test.name;
  result_.file = test.file;
  result_.line = test.line;
  result_.expect = settings_.expect.value_or(Expectation{});
  result_.says_expect = settings_.expect.has_value();
  result_.search = settings_.search;
  if (test.body) {
    list_.programs.emplace_back();
  } else {
    find_specification();
    make_programs(true);
  }
  if (list_.programs.empty()) {
    throw InputError(test.place(), "there are no programs within the bounds",
                     "give operations values(), or a call without arguments");
  }
  result_.all_programs = list_.programs.size();
}

void TestRun::make_programs(bool threads_alike) {
  list_ = programs_of(test_, *result_.specification,
                      {options_.programs, settings_.seed,
                       settings_.values_alike, threads_alike});
  result_.all_programs = list_.programs.size();
}

void TestRun::find_specification() {
  const check::Condition condition =
      check::parse_condition(settings_.condition);
  if (!settings_.spec.empty()) {
    result_.specification = lang::open_specification(
        settings_.spec,
        std::filesystem::path(test_.place().source).parent_path().string());
  } else if (test_.model) {
    result_.specification = model_specification(test_);
  } else {
    result_.specification = serial_specification(
        test_, [this](std::span<const int> calls) { return serially(calls); });
  }
  check::require_factors_fit(condition, *result_.specification);
  check::require_closed_if_own(condition, *result_.specification);
  judge_ = std::make_unique<Judge>(test_, result_.specification, condition);
  stuck_ = std::make_unique<StuckJudge>(calls_of(test_, *result_.specification),
                                        result_.specification, condition);
  result_.condition = condition.to_string();
}

// What these calls give when one thread makes them, one after another.
std::optional<std::vector<std::optional<Value>>> TestRun::serially(
    std::span<const int> calls) const {
  Program program;
  program.before.assign(calls.begin(), calls.end());
  ProgramRun run(test_, program);
  sched::Replay alone({});
  alone.start_run();
  runtime::Settings settings;
  settings.steps = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(settings_.steps, UINT32_MAX));
  settings.find_leaks = false;
  const runtime::Outcome outcome =
      runtime::run(alone, settings, ProgramRun::main, &run);
  if (runtime::left != runtime::Left::kNot) {
    throw LimitError(
        "the object's own code, run by one thread to learn what is right, did "
        "not come back in time");
  }
  if (outcome.end != sched::RunEnd::kComplete &&
      outcome.end != sched::RunEnd::kStuck) {
    return std::nullopt;
  }
  // LIMIT: one run shows one outcome; with choices there are others.
  if (std::any_of(alone.steps().begin(), alone.steps().end(),
                  [](const auto& step) { return step.is_choice; })) {
    throw LimitError(
        "the object makes random choices, so its own runs do not tell all that "
        "is right: give it a specification or a model");
  }
  std::vector<std::optional<Value>> results;
  for (const ProgramRun::Record& record : run.before()) {
    if (!record.began) break;
    results.push_back(record.returned ? std::optional(record.result)
                                      : std::nullopt);
  }
  return results;
}

Settings TestRun::settings_of(const Options& options) const {
  Settings out = options.over(test_.settings);
  if (is_random(out.search) && out.executions == 0 &&
      options.time_limit.empty()) {
    out.executions = kRandomExecutions;
  }
  return out;
}

// When one part of the time that this test can have is over.
Budget::Clock::time_point TestRun::end_of_part(int parts) const {
  const auto end = options_.end();
  if (end == Budget::Clock::time_point::max()) return end;
  const auto now = Budget::Clock::now();
  const auto left = std::max(Budget::Clock::duration::zero(), end - now);
  return now + left / (static_cast<int>(options_.tests) * parts);
}

std::vector<ProgramOutcome> TestRun::explore_list() {
  WorkPlan plan;
  plan.programs = list_.programs.size();
  plan.processes = options_.workers();
  plan.stop_at_violation = !options_.all;
  const auto end = options_.end();
  plan.end = end;
  if (end == Budget::Clock::time_point::max()) {
    return explore_programs(
        plan, [this](std::size_t i) { return searches_.explore(i, budget_); },
        budget_);
  }
  return explore_in_shares(
      plan, end_of_part(1), searches_.out_of_time(),
      [this](std::size_t i, const Share& share) {
        return searches_.explore_for(i, share);
      },
      budget_);
}

// An audit takes long: where none of these needs it, others go without.
bool TestRun::does_anything_unseen() {
  constexpr std::size_t kFirst = 8, kSpread = 24;
  constexpr std::uint64_t kMostFaults = 20'000;
  const std::size_t all = list_.programs.size();
  if (all <= kFirst) return true;
  const runtime::LatestEnd latest(end_of_part(4));
  const std::uint64_t start = runtime::audit::faults();
  for (std::size_t i = 0; i < kFirst + kSpread; ++i) {
    const std::size_t program =
        i < kFirst ? i : kFirst + (i - kFirst) * (all - kFirst) / kSpread;
    look_for_unseen(question(program, searches_.first_heap()));
    if (runtime::unseen_count() != 0 || audit_makes_events()) return true;
    if (runtime::left != runtime::Left::kNot) return true;
    if (runtime::audit::faults() - start > kMostFaults) break;
  }
  return false;
}

std::vector<ProgramOutcome> TestRun::explore_all() {
  if (budget_.spent_now()) return {};
  const Progress progress(test_.name, list_.programs.size());
  const CountedExecutions counted;
  const auto start = Clock::now();
  runtime::forget_audited_calls();
  searches_.audits_each =
      settings_.audit && runtime::can_audit() && does_anything_unseen();
  runtime::forget_weak_orders();
  runtime::thread_was_asked = runtime::times_were_compared = false;
  ProgramRun::seen = {};
  std::vector<ProgramOutcome> outcomes = explore_list();
  // Threads that know their numbers cannot be renamed.
  const bool asked =
      std::any_of(outcomes.begin(), outcomes.end(),
                  [](const auto& one) { return one.statistics.asks_thread; });
  const bool violated = std::any_of(
      outcomes.begin(), outcomes.end(),
      [](const auto& one) { return one.answer == Answer::kViolated; });
  if (asked && list_.renamed_threads && !violated) {
    make_programs(false);
    outcomes = explore_list();
  }
  std::uint64_t executions = 0;
  for (const ProgramOutcome& outcome : outcomes) {
    executions += outcome.statistics.executions;
  }
  result_.samples = counted.samples.until(
      {std::chrono::duration<double>(Clock::now() - start).count(),
       executions});
  return outcomes;
}

// What those who trust in it should know.
std::string TestRun::notes_of(
    const std::vector<ProgramOutcome>& outcomes) const {
  if (!settings_.audit) {
    return "accesses of code that was not compiled along were not looked for";
  }
  for (const ProgramOutcome& outcome : outcomes) {
    if (outcome.answer != Answer::kHolds || outcome.reason.empty()) continue;
    return fmt::format("no hook tells of this, but the audit follows it: {}",
                       outcome.reason);
  }
  return "";
}

void TestRun::sum_up(const std::vector<ProgramOutcome>& outcomes) {
  result_.programs = outcomes.size();
  result_.exhaustive =
      list_.complete && outcomes.size() == list_.programs.size();
  const ProgramOutcome* violated = nullptr;
  for (const ProgramOutcome& outcome : outcomes) {
    result_.statistics.add(outcome.statistics);
    result_.histories += outcome.histories;
    result_.heaps |= outcome.heaps;
    result_.exhaustive &= outcome.exhaustive;
    if (!violated && outcome.answer == Answer::kViolated) violated = &outcome;
  }
  if (violated) {
    set_violated(*violated);
  } else if (result_.exhaustive) {
    result_.answer = Answer::kHolds;
  } else {
    set_unknown(outcomes);
  }
  if (!violated) {
    result_.caveats = caveats_of(test_, result_.specification.get(), list_,
                                 result_.statistics, settings_);
    const std::string note = notes_of(outcomes);
    if (!note.empty()) result_.caveats.clauses.push_back(note);
  }
}

void TestRun::set_unknown(const std::vector<ProgramOutcome>& outcomes) {
  result_.answer = Answer::kUnknown;
  result_.reason =
      reasons_of(outcomes, list_,
                 budget_.limit() == Limit::kNone ? "a process ended too early"
                                                 : budget_.describe_limit());
}

std::string TestRun::command_for(const std::string& schedule) const {
  std::string out =
      fmt::format("{} --only {}{} --replay '{}'", options_.command,
                  shell_word(test_.name), options_.to_repeat(), schedule);
  if (!options_.program_arguments.empty()) out += " --args";
  for (const std::string& word : options_.program_arguments) {
    out += ' ' + shell_word(word);
  }
  return out + options_.command_end;
}

void TestRun::set_violated(const ProgramOutcome& outcome) {
  result_.answer = Answer::kViolated;
  result_.exhaustive = false;
  result_.finding = outcome.finding;
  result_.reason = reason_of(outcome.finding);
  if (!outcome.schedule) return;
  result_.replay = command_for(to_string(*outcome.schedule));
  result_.show_evidence = !result_.is_as_expected() || !options_.only.empty() ||
                          !options_.replay.empty();
  const Schedule& schedule = *outcome.schedule;
  const Question ask = question(schedule.program - 1, schedule.heap);
  result_.evidence = evidence_of(ask, schedule, options_.end(kToExplain));
  if (result_.evidence->was_left) {
    result_.reason += "; its schedule was not run again, for lack of time";
  } else if (!is_confirmed(outcome)) {
    result_.answer = Answer::kUnknown;
    result_.reason = fmt::format(
        "a violation ({}) was found that its own schedule, '{}', does not "
        "show: {}",
        result_.reason, result_.evidence->schedule, why_not_shown(schedule));
    result_.finding.fault = runtime::Fault::kDiverged;
    result_.evidence.reset();
    return;
  }
  result_.seconds = seconds();
  if (found_) found_(result_);
  if (!has_time()) return;
  if (result_.show_evidence || options_.stories) {
    add_story(ask, schedule, options_.color(), *result_.evidence);
  }
  if (!result_.evidence->finding.empty()) {
    result_.reason = result_.evidence->finding;
  }
  if (result_.show_evidence && options_.replay.empty()) {
    look_for_smaller(outcome);
    if (!result_.evidence->machines.empty() ||
        outcome.finding.fault == runtime::Fault::kRace) {
      Question weaker = question(schedule.program - 1, Heap::kQuarantine);
      weaker.memory = schedule.memory;
      result_.evidence->remedies = find_remedies(weaker, options_.end());
    }
  }
}

double TestRun::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

// What was found in the last moments is confirmed, no more.
bool TestRun::has_time() const {
  return Clock::now() < options_.end() && !Budget::interrupted;
}

// Programs that were made came smallest first; others may have calls that do
// not matter.
void TestRun::look_for_smaller(const ProgramOutcome& outcome) {
  const std::size_t number = outcome.schedule->program - 1;
  if (test_.body || (number >= test_.programs.size() && list_.complete)) return;
  const auto longest = Budget::Clock::now() + std::chrono::seconds(2);
  Budget budget(std::min(longest, options_.end()), SIZE_MAX);
  const Program& program = list_.programs[number];
  const Program smaller = shrink_program(program, [&](const Program& part) {
    Question ask = question(number, outcome.schedule->heap);
    ask.program = &part;
    ask.memory = outcome.schedule->memory;
    ask.settings.executions = kExecutionsToShrink;
    const Exploration exploration = explore(ask, budget);
    return exploration.answer == Answer::kViolated &&
           exploration.finding.fault == outcome.finding.fault;
  });
  if (smaller == program) return;
  result_.evidence->smaller_program_lines = lines_of(test_, smaller);
}

// Nothing is called violated that another run of its schedule does not show.
bool TestRun::is_confirmed(const ProgramOutcome& outcome) const {
  // A livelock is what a search finds out, not an execution.
  if (outcome.finding.fault == runtime::Fault::kLivelock) return true;
  const Evidence& evidence = *result_.evidence;
  if (outcome.finding.fault != runtime::Fault::kNone) return evidence.is_fault;
  return evidence.is_fault || evidence.explanation.has_value();
}

// What is most likely wrong if a violation cannot be shown again.
std::string TestRun::why_not_shown(const Schedule& schedule) const {
  Budget budget = budget_.with_steps(1'000'000);
  const Replayed again = harness::replay(
      question(schedule.program - 1, schedule.heap), schedule, budget);
  if (again.diverged) {
    return "run again, the threads did other things.  They depend on something "
           "that is not under control: time, addresses, random numbers, what "
           "an "
           "earlier execution left behind";
  }
  return "run again, the threads did the same things with other results.  They "
         "read something that is not seen: memory that libraries or assembly "
         "write, or that is not put back between executions";
}

void TestRun::relax_orders() {
  if (result_.answer != Answer::kHolds ||
      result_.caveats.memory != sched::MemoryModel::kRc11) {
    return;
  }
  std::vector<Question> programs;
  for (std::size_t i = 0; i < list_.programs.size(); ++i) {
    programs.push_back(question(i, Heap::kQuarantine));
    programs.back().memory = sched::MemoryModel::kRc11;
  }
  result_.relaxations = find_relaxations(std::move(programs), options_.end());
}

// One execution, as a schedule has it.
void TestRun::replay() {
  const Schedule schedule = parse_schedule(options_.replay);
  if (schedule.program < 1 || schedule.program > list_.programs.size()) {
    throw InputError(fmt::format("--replay names program {}, but '{}' has {}",
                                 schedule.program, test_.name,
                                 list_.programs.size()));
  }
  const std::size_t program = schedule.program - 1;
  std::optional<StopAtEnd> stop;
  if (options_.gdb_stop) stop.emplace(list_.programs[program]);
  if (schedule.audited) look_for_unseen(question(program, schedule.heap));
  const Replayed replayed =
      harness::replay(question(program, schedule.heap), schedule, budget_);
  result_.programs = 1;
  result_.statistics.executions = 1;
  result_.heaps = 1u << static_cast<unsigned>(schedule.heap);
  ProgramOutcome outcome;
  outcome.schedule = schedule;
  outcome.finding = replayed.outcome.finding;
  // Whether it is a livelock, only the search can tell; that finds one soon, or
  // takes long.
  Budget some_runs = budget_.with_steps(200);
  Question again = question(program, schedule.heap);
  again.memory = schedule.memory;
  const bool is_livelock =
      replayed.goes_in_circles &&
      explore(again, some_runs).finding.fault == runtime::Fault::kLivelock;
  if (is_livelock) outcome.finding.fault = runtime::Fault::kLivelock;
  const bool is_stuck = replayed.is_deadlock;
  if (replayed.diverged) {
    result_.reason =
        "this schedule does not fit: the test has changed, or it "
        "depends on something that is not under control";
  } else if (is_stuck || is_livelock ||
             replayed.outcome.end == sched::RunEnd::kFailed) {
    if (is_stuck) outcome.finding.fault = runtime::Fault::kDeadlock;
    set_violated(outcome);
  } else if (replayed.judgement.answer == Answer::kViolated) {
    set_violated(outcome);
  } else {
    result_.reason =
        outcome.finding.fault == runtime::Fault::kStepLimit
            ? "the execution was cut off before its end"
            : "only one execution was run, and nothing is wrong with it";
  }
}

// Real threads for a while.  They prove nothing if nothing happens.
void TestRun::stress_test() {
  StressPlan plan;
  plan.test = &test_;
  plan.programs = &list_.programs;
  plan.judge = judge_.get();
  plan.seconds = *options_.stress;
  plan.seed = settings_.seed;
  const StressOutcome outcome = stress(plan);
  result_.stress = true;
  result_.programs = result_.all_programs;
  result_.statistics.executions = outcome.runs;
  result_.histories = outcome.histories;
  result_.finding = outcome.finding;
  const bool crashed = outcome.finding.fault != runtime::Fault::kNone;
  if (outcome.hangs) {
    result_.reason = "with real threads it did not come to an end";
  } else if (!crashed && !outcome.program) {
    result_.reason = "nothing was found, which proves nothing";
  } else {
    result_.answer = Answer::kViolated;
    result_.reason = reason_of(outcome.finding);
    if (crashed) return;
    result_.evidence = evidence_of(question(*outcome.program, Heap::kLifo),
                                   outcome.calls, outcome.ends);
  }
}

TestResult TestRun::run() {
  if (options_.stress) {
    stress_test();
  } else if (options_.replay.empty()) {
    sum_up(explore_all());
    if (options_.relax_orders) relax_orders();
  } else {
    replay();
  }
  result_.seconds = seconds();
  return std::move(result_);
}

}  // namespace

TestResult run_test(const test::Case& test, const Options& options,
                    Budget& budget, const Found& found) {
  if (test.error) throw *test.error;
  try {
    if (!runtime::prepare()) {
      throw InputError("the memory that tests run in cannot be had",
                       "is the address space limited (ulimit -v)?");
    }
    const Finish finish_at_end;
    return TestRun(test, options, budget, found).run();
  } catch (const InputError& error) {
    throw_at(test, error);
  }
}

}  // namespace plumb::harness
