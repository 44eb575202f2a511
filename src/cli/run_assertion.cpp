// SPDX-License-Identifier: Apache-2.0
#include "cli/run_assertion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "assertions/journal_log.h"
#include "base/input_error.h"
#include "base/limit_error.h"
#include "cli/assertion_order.h"
#include "cli/assertion_symmetry.h"
#include "cli/common.h"
#include "cli/csp_checks.h"
#include "cli/formula_check.h"
#include "cli/unless_limited.h"
#include "csp/event_names.h"
#include "csp/model.h"
#include "lts/path_system.h"
#include "text/diagnostics.h"

namespace plumb::cli {

namespace {

using csp::AssertionKind;

std::string condition_of(const csp::Assertion& assertion) {
  switch (assertion.kind) {
    case AssertionKind::kDeadlockFree:
      return "deadlockfree";
    case AssertionKind::kDivergenceFree:
      return "divergencefree";
    case AssertionKind::kDeterministic:
      return "deterministic";
    case AssertionKind::kNonterminating:
      return "nonterminating";
    case AssertionKind::kReaches:
      return "reaches";
    case AssertionKind::kSatisfies:
      return "satisfies";
    case AssertionKind::kRefines:
      break;
  }
  return assertion.model == csp::Behaviours::kTraces     ? "refines"
         : assertion.model == csp::Behaviours::kFailures ? "refines<F>"
                                                         : "refines<FD>";
}

// PAT knows no expectations, so ours stand in a comment behind the assertion.
std::optional<check::Answer> expectation(const csp::Module& module,
                                         const csp::Assertion& assertion) {
  const std::string_view text = module.source->text();
  const std::size_t begin = assertion.span.begin + assertion.span.length;
  const std::string_view rest =
      text.substr(begin, text.find('\n', begin) - begin);
  for (const auto answer : {check::Answer::kHolds, check::Answer::kViolated,
                            check::Answer::kUnknown}) {
    const std::string words =
        std::string("// expect ") + check::to_string(answer);
    if (rest.find(words) != rest.npos) return answer;
  }
  return std::nullopt;
}

// One run of the tool's question about one assertion.
class AssertionRun {
 public:
  AssertionRun(const LoadedCheck& loaded, const HowToCheck& how, Budget& budget)
      : module_(*loaded.csp),
        assertion_(*loaded.assertion),
        how_(how),
        budget_(budget),
        model_(loaded.csp,
               {.pat_identity = how.pat_counts,
                .reset_dead_variables = !how.pat_counts && !how.keep_dead,
                .partial_order = how.reductions.partial_order !=
                                 lts::Reductions::PartialOrder::kNone}),
        symmetry_(model_, assertion_, how_) {}

  verify::Outcome decide();
  // Reductions that are off, and why.
  std::vector<std::string> notes() const {
    std::vector<std::string> all = symmetry_.notes();
    all.insert(all.end(), notes_.begin(), notes_.end());
    return all;
  }
  // What the runs of an outcome are runs of.
  const lts::System& system() const { return *system_; }
  // Gives a run back the values that were forgotten in it; from now on
  // system() has them, too.
  void complete(verify::Outcome& outcome);
  // Does this run of the process decide the assertion, and how?  A run that
  // proves nothing gives `unknown`.
  verify::Outcome judge(const lts::Path& run,
                        std::optional<std::size_t> back_to);

 private:
  verify::Outcome search();
  verify::Outcome search_once();
  verify::Outcome without_symmetry(verify::Outcome found);
  // The subject's system, as it is to be searched.
  std::shared_ptr<const lts::System> begin();
  std::shared_ptr<const lts::System> system_of(const csp::Process& process);
  verify::Outcome ask(const lts::System& system);
  verify::Outcome reaches(const lts::System& system);
  verify::Outcome satisfies(const lts::System& system);
  verify::Outcome refines();
  verify::Outcome refines(const lts::System& system, std::size_t valuation);
  bool is_stuck(lts::StateView state) const;
  assertions::Proposition meaning_of(const ltl::Atom& atom) const;

  const csp::Module& module_;
  const csp::Assertion& assertion_;
  HowToCheck how_;
  Budget& budget_;
  csp::Model model_;
  AssertionSymmetry symmetry_;
  std::shared_ptr<const lts::System> system_;  // of the subject
  std::optional<std::size_t> valuation_;       // that it begins with, if one
  std::optional<csp::Observed> observed_;      // none: all steps are taken
  std::vector<std::string> notes_;
};

void AssertionRun::complete(verify::Outcome& outcome) {
  symmetry_.complete(outcome);
  if (!model_.options().reset_dead_variables) return;
  const auto whole = model_.whole(*assertion_.subject, valuation_);
  if (outcome.lasso) {
    outcome.lasso = model_.unfold(*system_, *whole, *outcome.lasso);
  } else if (outcome.path) {
    outcome.path = model_.unfold(*system_, *whole, *outcome.path);
  } else {
    return;
  }
  system_ = whole;
  if (outcome.lasso || outcome.path) return;
  outcome.answer = check::Answer::kUnknown;
  outcome.reason = "a run of the reduced system is none of the whole one";
  outcome.hint = "--keep-dead does without this reduction";
}

// Partial order reduction may make the way to what is looked for longer, and
// which of two things is nearer another one.  So where anything was found, all
// steps are taken, up to there.
verify::Outcome AssertionRun::decide() {
  observed_ = observed_by(module_, assertion_, how_, notes_);
  if (!observed_) return search();
  std::optional<verify::Outcome> found;
  try {
    found = search();
  } catch (const LimitError&) {
    // Something may be nearer than what has no value.
  }
  if (found && !found->path && !found->lasso) return *found;
  observed_.reset();
  const std::optional<std::size_t> valuation = valuation_;
  const std::uint64_t limit = how_.options.state_limit;
  if (found) {
    // The verdict is there: other assertions need the time more.
    constexpr std::uint64_t kFew = 50'000;
    const std::uint64_t share = kFew + 10 * found->statistics.states;
    how_.options.state_limit = limit == 0 ? share : std::min(limit, share);
  }
  verify::Outcome nearest = search();
  how_.options.state_limit = limit;
  if (!found || nearest.answer != check::Answer::kUnknown || nearest.path) {
    return nearest;
  }
  valuation_ = valuation;
  begin();
  found->details.push_back("there may be a shorter run: " + nearest.reason);
  return *found;
}

verify::Outcome AssertionRun::search() {
  verify::Outcome found = search_once();
  const bool has_run = found.path || found.lasso;
  return observed_ || !has_run ? found : without_symmetry(std::move(found));
}

verify::Outcome AssertionRun::search_once() {
  if (assertion_.kind == AssertionKind::kRefines) return refines();
  return ask(*begin());
}

// There may be several shortest runs; where that is quickly done, the one that
// is shown does not depend on symmetry.
verify::Outcome AssertionRun::without_symmetry(verify::Outcome found) {
  constexpr std::uint64_t kQuick = 10'000, kMost = 50'000;
  if (!symmetry_.is_used() || found.statistics.states > kQuick) return found;
  const std::optional<std::size_t> valuation = valuation_;
  const HowToCheck how = how_;
  how_.reductions.process_symmetry = how_.reductions.data_symmetry = false;
  std::uint64_t& limit = how_.options.state_limit;
  limit = limit == 0 ? kMost : std::min(limit, kMost);
  std::optional<verify::Outcome> plain;
  try {
    plain = search_once();
  } catch (const LimitError&) {
    // It has no value somewhere that symmetry leaves out.
  }
  how_ = how;
  if (plain && plain->answer == found.answer && (plain->path || plain->lasso)) {
    return *plain;
  }
  valuation_ = valuation;
  begin();
  if (plain && plain->answer != check::Answer::kUnknown) {
    found.answer = check::Answer::kUnknown;
    found.reason = "without symmetry the answer is another one";
    found.hint = "please report this; --no-symmetry does without it";
  }
  return found;
}

std::shared_ptr<const lts::System> AssertionRun::begin() {
  system_ = system_of(*assertion_.subject);
  return symmetry_.of_subject(system_, valuation_);
}

std::shared_ptr<const lts::System> AssertionRun::system_of(
    const csp::Process& process) {
  const csp::Watched watched = watched_by(module_, assertion_);
  return observed_ ? model_.system(process, watched, valuation_, *observed_)
                   : model_.system(process, watched, valuation_);
}

verify::Outcome AssertionRun::ask(const lts::System& system) {
  switch (assertion_.kind) {
    case AssertionKind::kDeadlockFree:
      return assertions::deadlock_free(system, how_.options, budget_);
    case AssertionKind::kDivergenceFree:
      return assertions::divergence_free(system, how_.options, budget_);
    case AssertionKind::kDeterministic:
      return assertions::deterministic(system, how_.options, budget_);
    case AssertionKind::kNonterminating:
      return assertions::nonterminating(system, how_.options, budget_);
    case AssertionKind::kReaches:
      return reaches(system);
    default:
      return satisfies(system);
  }
}

bool AssertionRun::is_stuck(lts::StateView state) const {
  lts::Successors successors;
  system_->successors(state, successors);
  return successors.size() == 0;
}

// The same question, asked of a system that has these steps only; but where it
// ends, that must be the end of the process as well.
verify::Outcome AssertionRun::judge(const lts::Path& run,
                                    std::optional<std::size_t> back_to) {
  const bool needs_end = assertion_.kind == AssertionKind::kDeadlockFree ||
                         assertion_.kind == AssertionKind::kNonterminating;
  system_ = model_.system(*assertion_.subject);
  const lts::PathSystem steps(*system_, run);
  verify::Outcome outcome;
  if (needs_end && (back_to || !is_stuck(run.states.back()))) return outcome;
  if (assertion_.kind == AssertionKind::kDeterministic ||
      (assertion_.kind == AssertionKind::kRefines &&
       assertion_.model != csp::Behaviours::kTraces)) {
    return decide();  // what else is possible in a state matters, too
  }
  outcome = assertion_.kind == AssertionKind::kRefines ? refines(steps, 0)
                                                       : ask(steps);
  const auto telling = assertion_.kind == AssertionKind::kReaches
                           ? check::Answer::kHolds
                           : check::Answer::kViolated;
  if (outcome.answer != telling) outcome.answer = check::Answer::kUnknown;
  return outcome;
}

verify::Outcome AssertionRun::reaches(const lts::System& system) {
  std::optional<assertions::Extreme> extreme;
  if (assertion_.extreme != csp::Extreme::kNone) {
    extreme = {assertion_.extreme == csp::Extreme::kMax,
               [this](lts::StateView state) {
                 return model_.measure(*assertion_.measure, state);
               }};
  }
  return assertions::reaches(
      system,
      [this](lts::StateView state) {
        return model_.holds(assertion_.proposition, state);
      },
      extreme, how_.options, budget_);
}

assertions::Proposition AssertionRun::meaning_of(const ltl::Atom& atom) const {
  if (const auto found = proposition_of(module_, atom)) {
    return {[this, i = *found](lts::StateView state) {
              return model_.holds(i, state);
            },
            nullptr};
  }
  const std::set<std::string> events = csp::event_names(module_);
  const std::string name = atom.text.substr(0, atom.text.find_first_of(".!?["));
  if (events.count(name) == 0) {
    std::vector<std::string> known(events.begin(), events.end());
    for (const csp::Proposition& proposition : module_.propositions) {
      known.push_back(proposition.name);
    }
    throw InputError(
        module_.source->place(atom.span),
        fmt::format("'{}' is neither a proposition nor an event", atom.text),
        text::suggestion(name, known,
                         "propositions are given names by '#define'"));
  }
  const Value value = Value::text(atom.text);
  return {nullptr, [value](const lts::Label& label) {
            return label.kind == lts::LabelKind::kEvent && label.value == value;
          }};
}

verify::Outcome AssertionRun::satisfies(const lts::System& system) {
  return decide_formula(
      system,
      {*module_.source, assertion_.formula_span,
       [this](const ltl::Atom& atom) { return meaning_of(atom); },
       how_.fairness},
      how_.options, budget_);
}

verify::Outcome AssertionRun::refines(const lts::System& system,
                                      std::size_t valuation) {
  using assertions::Semantics;
  const Semantics semantics = assertion_.model == csp::Behaviours::kTraces
                                  ? Semantics::kTraces
                              : assertion_.model == csp::Behaviours::kFailures
                                  ? Semantics::kFailures
                                  : Semantics::kFailuresDivergences;
  valuation_ = valuation;
  const auto other = symmetry_.of_other(system_of(*assertion_.other));
  if (how_.pat_counts && semantics == Semantics::kTraces) {
    return assertions::pat_refines(system, *other, how_.options, budget_);
  }
  return assertions::refines(system, *other, semantics, how_.options, budget_);
}

// Both sides begin with the same values of the variables.
verify::Outcome AssertionRun::refines() {
  verify::Outcome outcome;
  verify::Statistics sum;
  for (std::size_t i = 0; i < model_.initial_valuations(); ++i) {
    valuation_ = i;
    outcome = refines(*begin(), i);
    const verify::Statistics& one = outcome.statistics;
    sum.states += one.states;
    sum.transitions += one.transitions;
    sum.pairs += one.pairs;
    sum.left_out += one.left_out;
    sum.seconds += one.seconds;
    if (outcome.answer != check::Answer::kHolds) break;
  }
  if (model_.initial_valuations() > 1) {
    outcome.statistics.states = sum.states;
    outcome.statistics.transitions = sum.transitions;
    outcome.statistics.pairs = sum.pairs;
    outcome.statistics.left_out = sum.left_out;
    outcome.statistics.seconds = sum.seconds;
  }
  return outcome;
}

}  // namespace

report::ModelResult blank_assertion(const LoadedCheck& loaded) {
  report::ModelResult result;
  result.file = loaded.file;
  result.line = loaded.line;
  result.check = loaded.text;
  result.condition = condition_of(*loaded.assertion);
  result.expect = expectation(*loaded.csp, *loaded.assertion);
  return result;
}

verify::Outcome judge_run(const LoadedCheck& loaded, const lts::Path& run,
                          std::optional<std::size_t> back_to, Budget& budget) {
  HowToCheck how;
  how.keep_dead = true;
  how.reductions = lts::Reductions::none();
  return AssertionRun(loaded, how, budget).judge(run, back_to);
}

report::ModelResult run_assertion(const LoadedCheck& loaded,
                                  const HowToCheck& how, Budget budget) {
  report::ModelResult result = blank_assertion(loaded);
  HowToCheck logged = how;
  std::optional<assertions::JournalLog> log;
  if (how.options.journal != nullptr) {
    logged.options.log = &log.emplace(*how.options.journal);
  }
  AssertionRun run(loaded, logged, budget);
  result.outcome = unless_limited([&] { return run.decide(); });
  result.notes = run.notes();
  if (log && result.outcome.answer == check::Answer::kUnknown) log->save();
  result.peak_memory_bytes = peak_resident_bytes();
  const verify::Outcome& outcome = result.outcome;
  if (!outcome.lasso && !outcome.path) return result;
  run.complete(result.outcome);
  if (!outcome.lasso && !outcome.path) return result;
  report::Trace trace;
  trace.file = loaded.file;
  trace.line = loaded.line;
  trace.check = loaded.text;
  trace.reason = outcome.reason;
  if (outcome.lasso) {
    report::describe_lasso(run.system(), *outcome.lasso, trace);
    trace.stuck.reset();  // a formula is of all processes, not of one
  } else {
    report::describe_path(run.system(), *outcome.path, trace);
  }
  result.trace = std::move(trace);
  if (loaded.file != "<stdin>") {
    result.replay = fmt::format("plumb verify {} {}", loaded.arguments,
                                file_in_quotes(loaded.file));
  }
  return result;
}

}  // namespace plumb::cli
