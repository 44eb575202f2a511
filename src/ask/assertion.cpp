// SPDX-License-Identifier: Apache-2.0
// Assertions of CSP# models: which reductions fit which, and what decides.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ask/assertion_symmetry.h"
#include "ask/formula.h"
#include "ask/subject.h"
#include "ask/unless_limited.h"
#include "ask/visible_steps.h"
#include "base/input_error.h"
#include "base/invariant.h"
#include "base/limit_error.h"
#include "csp/event_names.h"
#include "csp/model.h"
#include "lts/path_system.h"
#include "text/diagnostics.h"

namespace plumb::ask {

namespace {

using assertions::Semantics;
using csp::AssertionKind;

// One run of the tool's question about one assertion.
class AssertionRun {
 public:
  AssertionRun(const std::shared_ptr<const csp::Module>& module,
               const csp::Assertion& assertion, const Question& question,
               Budget& budget)
      : module_(*module),
        assertion_(assertion),
        question_(question),
        budget_(budget),
        model_(module, {.pat_identity = question.pat_counts,
                        .reset_dead_variables =
                            !question.pat_counts && !question.keep_dead,
                        .partial_order = question.reductions.partial_order !=
                                         lts::Reductions::PartialOrder::kNone}),
        symmetry_(model_, assertion_, question_) {}

  verify::Outcome decide();
  // Reductions that are off, and why.
  std::vector<std::string> notes() const {
    std::vector<std::string> all = symmetry_.notes();
    all.insert(all.end(), notes_.begin(), notes_.end());
    return all;
  }
  // What the runs of an outcome are runs of.
  const std::shared_ptr<const lts::System>& system() const { return system_; }
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
  Question question_;
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
  observed_ = observed_by(module_, assertion_, question_, notes_);
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
  const std::uint64_t limit = question_.search.state_limit;
  if (found) {
    // The verdict is there: other assertions need the time more.
    constexpr std::uint64_t kFew = 50'000;
    const std::uint64_t share = kFew + 10 * found->statistics.states;
    question_.search.state_limit = limit == 0 ? share : std::min(limit, share);
  }
  verify::Outcome nearest = search();
  question_.search.state_limit = limit;
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

// The first search is the one that is saved; what follows is small beside it.
verify::Outcome AssertionRun::search_once() {
  verify::Outcome outcome =
      assertion_.kind == AssertionKind::kRefines ? refines() : ask(*begin());
  question_.search.journal = nullptr;
  return outcome;
}

// There may be several shortest runs; where that is quickly done, the one that
// is shown does not depend on symmetry.
verify::Outcome AssertionRun::without_symmetry(verify::Outcome found) {
  constexpr std::uint64_t kQuick = 10'000, kMost = 50'000;
  if (!symmetry_.is_used() || found.statistics.states > kQuick) return found;
  const std::optional<std::size_t> valuation = valuation_;
  const Question question = question_;
  question_.reductions.process_symmetry = question_.reductions.data_symmetry =
      false;
  std::uint64_t& limit = question_.search.state_limit;
  limit = limit == 0 ? kMost : std::min(limit, kMost);
  std::optional<verify::Outcome> plain;
  try {
    plain = search_once();
  } catch (const LimitError&) {
    // It has no value somewhere that symmetry leaves out.
  }
  question_ = question;
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
      return assertions::deadlock_free(system, question_.search, budget_);
    case AssertionKind::kDivergenceFree:
      return assertions::divergence_free(system, question_.search, budget_);
    case AssertionKind::kDeterministic:
      return assertions::deterministic(system, question_.search, budget_);
    case AssertionKind::kNonterminating:
      return assertions::nonterminating(system, question_.search, budget_);
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
       question_.semantics != Semantics::kTraces)) {
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
      extreme, question_.search, budget_);
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
       question_.fairness.value_or(assertions::Fairness::kNone)},
      question_.search, budget_);
}

verify::Outcome AssertionRun::refines(const lts::System& system,
                                      std::size_t valuation) {
  valuation_ = valuation;
  const auto other = symmetry_.of_other(system_of(*assertion_.other));
  if (question_.pat_counts && question_.semantics == Semantics::kTraces) {
    return assertions::pat_refines(system, *other, question_.search, budget_);
  }
  return assertions::refines(system, *other, question_.semantics,
                             question_.search, budget_);
}

// Both sides begin with the same values of the variables.
verify::Outcome AssertionRun::refines() {
  if (question_.search.journal != nullptr && model_.initial_valuations() > 1) {
    throw InputError(module_.source->place(assertion_.span),
                     "--checkpoint and --resume are for one search, and this "
                     "assertion needs one for each value that its variables "
                     "begin with");
  }
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

class AssertionLine final : public Subject {
 public:
  AssertionLine(std::shared_ptr<const csp::Module> module,
                const csp::Assertion& assertion)
      : module_(std::move(module)), assertion_(assertion) {}

  Question question() const override;
  Outcome answer(const Question& question, Budget& budget) const override;
  Whole whole() const override {
    return {csp::Model(module_, {}).system(*assertion_.subject), nullptr, {}};
  }
  std::shared_ptr<const lts::System> reduced(const Question&) const override {
    return nullptr;
  }
  Outcome judge(const Question& question, const Run& run,
                Budget& budget) const override;
  std::optional<check::Answer> expected() const override;
  const text::Source& source() const override { return *module_->source; }
  Place place() const override {
    return module_->source->place(assertion_.span);
  }
  std::string property_text(const Question& question) const override;
  std::string text(const Question&) const override { return assertion_.text; }

 private:
  std::shared_ptr<const csp::Module> module_;
  const csp::Assertion& assertion_;  // of the module
};

Property property_of(AssertionKind kind) {
  switch (kind) {
    case AssertionKind::kDeadlockFree:
      return Property::kDeadlockFree;
    case AssertionKind::kDivergenceFree:
      return Property::kDivergenceFree;
    case AssertionKind::kDeterministic:
      return Property::kDeterministic;
    case AssertionKind::kNonterminating:
      return Property::kNonterminating;
    case AssertionKind::kReaches:
      return Property::kReaches;
    case AssertionKind::kSatisfies:
      return Property::kSatisfies;
    case AssertionKind::kRefines:
      break;
  }
  return Property::kRefines;
}

Question AssertionLine::question() const {
  Question out;
  out.property = property_of(assertion_.kind);
  out.semantics = assertion_.model == csp::Behaviours::kTraces
                      ? Semantics::kTraces
                  : assertion_.model == csp::Behaviours::kFailures
                      ? Semantics::kFailures
                      : Semantics::kFailuresDivergences;
  return out;
}

Outcome AssertionLine::answer(const Question& question, Budget& budget) const {
  AssertionRun run(module_, assertion_, question, budget);
  Outcome out;
  out.found =
      unless_limited([&] { return with_run(run.decide(), question.property); });
  out.notes = run.notes();
  if (out.found.lasso || out.found.path) run.complete(out.found);
  if (out.found.lasso || out.found.path) out.system = run.system();
  return out;
}

Outcome AssertionLine::judge(const Question& question, const Run& run,
                             Budget& budget) const {
  Question plain = question;
  plain.keep_dead = true;
  plain.reductions = lts::Reductions::none();
  Outcome out;
  AssertionRun asked(module_, assertion_, plain, budget);
  out.found = asked.judge(run.path, run.back_to);
  out.system = asked.system();
  return out;
}

// PAT knows no expectations, so ours stand in a comment behind the assertion.
std::optional<check::Answer> AssertionLine::expected() const {
  const std::string_view text = source().text();
  const std::size_t begin = assertion_.span.begin + assertion_.span.length;
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

std::string AssertionLine::property_text(const Question&) const {
  switch (assertion_.kind) {
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
  return assertion_.model == csp::Behaviours::kTraces     ? "refines"
         : assertion_.model == csp::Behaviours::kFailures ? "refines<F>"
                                                          : "refines<FD>";
}

}  // namespace

SubjectPtr subject(std::shared_ptr<const csp::Module> module,
                   const csp::Assertion& assertion) {
  return std::make_shared<AssertionLine>(std::move(module), assertion);
}

}  // namespace plumb::ask
