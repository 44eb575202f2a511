// SPDX-License-Identifier: Apache-2.0
// Checks of .plumb models: which search decides what, of which system.
#include <memory>
#include <optional>
#include <utility>

#include "ask/comparison.h"
#include "ask/condition.h"
#include "ask/formula.h"
#include "ask/subject.h"
#include "ask/unless_limited.h"
#include "assertions/call_atoms.h"
#include "base/input_error.h"
#include "base/invariant.h"
#include "base/limit_error.h"
#include "check/decide.h"
#include "lang/parse.h"
#include "lang/reduce.h"
#include "lts/path_system.h"
#include "verify/path_history.h"

namespace plumb::ask {

namespace {

using assertions::Fairness;
using lang::PropertyKind;

class CheckLine final : public Subject {
 public:
  CheckLine(std::shared_ptr<const lang::Module> module,
            std::shared_ptr<const lang::Check> check, lang::Settings settings)
      : module_(std::move(module)),
        check_(std::move(check)),
        settings_(std::move(settings)) {}

  Question question() const override;
  Outcome answer(const Question& question, Budget& budget) const override;
  Whole whole() const override;
  std::shared_ptr<const lts::System> reduced(
      const Question& question) const override;
  Outcome judge(const Question& question, const Run& run,
                Budget& budget) const override;
  std::optional<check::Answer> expected() const override;
  const text::Source& source() const override { return *module_->source; }
  Place place() const override {
    return check_->source->place(check_->property_span);
  }
  std::string property_text(const Question& question) const override;
  std::string text(const Question& question) const override;

 private:
  lang::Model compiled(std::optional<std::size_t> processes) const {
    return lang::compile(*module_, *check_, settings_, processes);
  }
  std::optional<AskedCondition> asked(const Question& question,
                                      const lang::Model& model,
                                      const Budget& budget) const;
  lts::Reduced reduced(const Question& question, const lang::Model& model,
                       const AskedCondition* asked) const;
  std::shared_ptr<const verify::Smaller> smaller(const Question& question,
                                                 const AskedCondition* asked,
                                                 std::size_t processes) const;
  verify::Outcome decide(const Question& question, const lang::Model& model,
                         const AskedCondition* asked,
                         const lts::System* reduced, Budget& budget) const;
  verify::Outcome decide_condition(const Question& question,
                                   const lang::Model& model,
                                   const AskedCondition& asked,
                                   verify::Question of_system,
                                   Budget& budget) const;
  verify::Outcome decide_formula(const lts::System& system,
                                 const Question& question,
                                 Budget& budget) const;
  Outcome blank(const lang::Model& model) const;
  bool is_changed(const Question& question) const;

  std::shared_ptr<const lang::Module> module_;
  std::shared_ptr<const lang::Check> check_;  // of the module's objects
  lang::Settings settings_;
};

Fairness fairness_of(lang::Fairness fairness) {
  switch (fairness) {
    case lang::Fairness::kWeak:
      return Fairness::kWeakProcess;
    case lang::Fairness::kStrong:
      return Fairness::kStrongProcess;
    case lang::Fairness::kGlobal:
      return Fairness::kStrongGlobal;
    case lang::Fairness::kUnsaid:
      break;
  }
  return Fairness::kNone;
}

Property property_of(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::kCondition:
      return Property::kCondition;
    case PropertyKind::kSafe:
      return Property::kSafe;
    case PropertyKind::kSatisfies:
      return Property::kSatisfies;
    case PropertyKind::kRefines:
      return Property::kComparison;
    default:
      return Property::kProgress;
  }
}

verify::Progress progress_of(PropertyKind kind) {
  return kind == PropertyKind::kLockFree   ? verify::Progress::kLockFree
         : kind == PropertyKind::kWaitFree ? verify::Progress::kWaitFree
         : kind == PropertyKind::kObstructionFree
             ? verify::Progress::kObstructionFree
             : verify::Progress::kDeadlockFree;
}

Question CheckLine::question() const {
  Question out;
  out.property = property_of(check_->kind);
  out.progress = progress_of(check_->kind);
  if (out.property == Property::kCondition) {
    out.condition = condition_of(*check_);
  }
  if (check_->at_marks) out.proof = Proof::kMarks;
  if (check_->by_relation) out.proof = Proof::kRelation;
  if (check_->fairness != lang::Fairness::kUnsaid) {
    out.fairness = fairness_of(check_->fairness);
  }
  return out;
}

std::optional<AskedCondition> CheckLine::asked(const Question& question,
                                               const lang::Model& model,
                                               const Budget& budget) const {
  if (question.property != Property::kCondition) return std::nullopt;
  return asked_condition(*check_, model, question.condition,
                         question.construction, budget);
}

// Reductions keep histories and faults, which is what conditions and `safe`
// are about.  A relation speaks of every state.
lts::Reduced CheckLine::reduced(const Question& question,
                                const lang::Model& model,
                                const AskedCondition* asked) const {
  if (!question.is_of_histories()) return {};
  lts::Reductions wanted = question.reductions;
  wanted.keep_marks = question.proof == Proof::kMarks;
  return lang::reduce(model, asked == nullptr ? nullptr : asked->object.get(),
                      wanted);
}

// The system of a check with fewer processes; null if there is none.
std::shared_ptr<const verify::Smaller> CheckLine::smaller(
    const Question& question, const AskedCondition* asked,
    std::size_t processes) const {
  try {
    auto made = std::make_shared<verify::Smaller>();
    const lang::Model model = compiled(processes);
    made->system = model.system;
    made->reduced = reduced(question, model, asked).system;
    return made;
  } catch (const InputError&) {
    return nullptr;  // a role needs more processes, say
  }
}

verify::Outcome CheckLine::decide_condition(const Question& question,
                                            const lang::Model& model,
                                            const AskedCondition& asked,
                                            verify::Question of_system,
                                            Budget& budget) const {
  const check::Order order = asked.condition.order;
  of_system.specification = asked.object.get();
  of_system.order = order;
  verify::Options options = question.search;
  options.busy = busy_bound(*check_, model, order);
  if (question.proof == Proof::kRelation) {
    return verify::check_relation(of_system, *model.abstraction, order, options,
                                  budget);
  }
  if (order != check::Order::kRealTime) {
    return verify::check_order(of_system, order, options, budget);
  }
  if (question.proof == Proof::kMarks) {
    options.method = verify::Options::Method::kMarks;
  }
  return verify::check_linearizable(of_system, options, budget);
}

verify::Outcome CheckLine::decide_formula(const lts::System& system,
                                          const Question& question,
                                          Budget& budget) const {
  const text::Source& source = *check_->source;
  verify::Outcome outcome =
      ask::decide_formula(system,
                          {source, check_->formula,
                           [&](const ltl::Atom& atom) {
                             return assertions::call_atom(
                                 atom.text, system, source.place(atom.span));
                           },
                           question.fairness.value_or(Fairness::kNone)},
                          question.search, budget);
  // Of an object, a fault is a violation whatever was asked.
  if (outcome.path && !outcome.path->labels.empty() &&
      outcome.path->labels.back().kind == lts::LabelKind::kFault) {
    outcome.answer = check::Answer::kViolated;
  }
  return outcome;
}

verify::Outcome CheckLine::decide(const Question& question,
                                  const lang::Model& model,
                                  const AskedCondition* asked,
                                  const lts::System* reduced,
                                  Budget& budget) const {
  const verify::Question of_system{.system = *model.system,
                                   .specification = nullptr,
                                   .codes = model.codes,
                                   .smaller =
                                       [&](std::size_t processes) {
                                         return smaller(question, asked,
                                                        processes);
                                       },
                                   .reduced = reduced};
  switch (question.property) {
    case Property::kCondition:
      return decide_condition(question, model, *asked, of_system, budget);
    case Property::kSatisfies:
      return decide_formula(*model.system, question, budget);
    case Property::kSafe:
      return verify::check_safe(of_system, question.search, budget);
    default:
      return verify::check_progress(of_system, question.progress,
                                    question.search, budget);
  }
}

// Why the history of a violation cannot be explained.
void explain_history(const AskedCondition& asked, Budget& budget,
                     Outcome& out) {
  if (!out.found.history) return;
  const history::History& history = *out.found.history;
  check::Condition plain;
  plain.order = asked.condition.order;
  const check::Verdict verdict =
      check::decide(history, *asked.object, plain, {}, budget);
  if (verdict.answer != check::Answer::kViolated) return;
  out.explanation = check::explain(
      history, *asked.object, plain, verdict, budget,
      asked.condition.relaxed() ? check::LongestOrder::kWithOthers
                                : check::LongestOrder::kOfCulprits);
  out.excess = check::measure_excess_on_model(history, out.specification,
                                              asked.condition, asked.universe,
                                              *out.explanation, budget);
}

Outcome CheckLine::blank(const lang::Model& model) const {
  Outcome out;
  out.specification = model.specification;
  out.bounds = model.bounds;
  const auto operations = model.system->operations();
  out.operations.assign(operations.begin(), operations.end());
  return out;
}

Outcome CheckLine::answer(const Question& question, Budget& budget) const {
  if (question.property == Property::kComparison) {
    return compare(*module_, *check_, settings_, question, budget);
  }
  const lang::Model model = compiled(question.processes);
  std::optional<AskedCondition> condition = asked(question, model, budget);
  const AskedCondition* const asked = condition ? &*condition : nullptr;
  Outcome out = blank(model);
  Question again = question;
  Doubt doubtful = Doubt::kNone;
  do {
    const lts::Reduced fewer = reduced(question, model, asked);
    out.found = unless_limited([&] {
      return with_run(decide(again, model, asked, fewer.system.get(), budget),
                      question.property);
    });
    out.notes = fewer.notes;
    again.search.journal = nullptr;  // which knows the values of before
    doubtful = condition && out.found.history
                   ? doubt(*out.found.history, model, question.construction,
                           budget, *condition)
                   : Doubt::kNone;
  } while (doubtful == Doubt::kAskAgain);
  if (doubtful == Doubt::kExplained) {
    out.found = {};
    out.found.reason =
        "the search found a history that is explained: please report it";
  }
  out.by_windows = question.construction == check::Construction::kWindow &&
                   question.condition.says_quasi();
  if (out.found.answer != check::Answer::kViolated) return out;
  out.system = model.system;
  if (!condition) return out;
  // The evidence is there already; a limit that is near must not hide it.
  Budget unlimited;
  try {
    explain_history(*condition, unlimited, out);
  } catch (const LimitError&) {
    // So it is not explained.
  }
  return out;
}

Whole CheckLine::whole() const {
  const lang::Model model = compiled({});
  return {model.system, model.specification, model.codes};
}

std::shared_ptr<const lts::System> CheckLine::reduced(
    const Question& question) const {
  const lang::Model model = compiled(question.processes);
  const std::optional<AskedCondition> condition =
      asked(question, model, Budget());
  return reduced(question, model, condition ? &*condition : nullptr).system;
}

bool is_endless(const lts::System& system, const Run& run,
                verify::Progress property) {
  lts::Lasso lasso;
  lasso.path = run.path;
  lasso.back_to = *run.back_to;
  lasso.process = run.stuck.value_or(0);
  if (lasso.process >= system.processes()) return false;
  lts::Successors successors;
  system.successors(run.path.states.back(), successors);
  lasso.waits = lasso.back_to == run.path.size() &&
                (successors.waiting >> lasso.process & 1) != 0;
  return verify::violates(lasso, property, system);
}

// A fault is a violation whatever is asked.  A history is refuted by the
// decider of level 1; marks, relations and formulas are asked again, of a
// system that has this run only.
Outcome CheckLine::judge(const Question& question, const Run& run,
                         Budget& budget) const {
  const lang::Model model = compiled(question.processes);
  Outcome out = blank(model);
  out.system = model.system;
  const auto& labels = run.path.labels;
  bool violated =
      !labels.empty() && labels.back().kind == lts::LabelKind::kFault;
  const lts::PathSystem only(*model.system, run.path);
  if (question.proof == Proof::kRelation) {
    const AskedCondition condition = *asked(question, model, budget);
    out.found = verify::check_relation({.system = only,
                                        .specification = condition.object.get(),
                                        .codes = model.codes},
                                       *model.abstraction,
                                       condition.condition.order, {}, budget);
    violated |= out.found.answer == check::Answer::kViolated;
  } else if (question.property == Property::kCondition && !run.back_to) {
    out.found.history =
        verify::history_of(labels, model.codes, model.system->processes());
    AskedCondition condition = *asked(question, model, budget);
    while (doubt(*out.found.history, model, question.construction, budget,
                 condition) == Doubt::kAskAgain) {
    }
    explain_history(condition, budget, out);
    violated |= out.explanation || question.proof == Proof::kMarks;
  } else if (question.property == Property::kProgress && run.back_to) {
    violated = is_endless(*model.system, run, question.progress);
  } else if (question.property == Property::kSatisfies) {
    Question plain = question;
    plain.fairness = Fairness::kNone;  // of this run, nothing is left out
    violated |=
        decide_formula(only, plain, budget).answer == check::Answer::kViolated;
  }
  out.found.answer =
      violated ? check::Answer::kViolated : check::Answer::kUnknown;
  return out;
}

std::optional<check::Answer> CheckLine::expected() const {
  if (!check_->expect) return std::nullopt;
  switch (*check_->expect) {
    case lang::Expectation::kHolds:
      return check::Answer::kHolds;
    case lang::Expectation::kViolated:
      return check::Answer::kViolated;
    case lang::Expectation::kUnknown:
      break;
  }
  return check::Answer::kUnknown;
}

bool CheckLine::is_changed(const Question& question) const {
  return question.property == Property::kCondition &&
         question.condition.to_string() != condition_of(*check_).to_string();
}

std::string CheckLine::property_text(const Question& question) const {
  std::string out =
      is_changed(question) ? question.condition.to_string() : check_->property;
  if (check_->at_marks) out += " at marks";
  if (check_->by_relation) out += " by relation";
  return out;
}

std::string CheckLine::text(const Question& question) const {
  return lang::text_of(
      *check_, is_changed(question) ? question.condition.to_string() : "");
}

}  // namespace

SubjectPtr subject(std::shared_ptr<const lang::Module> module,
                   std::shared_ptr<const lang::Check> check,
                   lang::Settings settings) {
  return std::make_shared<CheckLine>(std::move(module), std::move(check),
                                     std::move(settings));
}

}  // namespace plumb::ask
