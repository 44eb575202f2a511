// SPDX-License-Identifier: Apache-2.0
#include "cli/run_check.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "assertions/call_atoms.h"
#include "base/limit_error.h"
#include "check/decide.h"
#include "cli/common.h"
#include "cli/formula_check.h"
#include "cli/run_assertion.h"
#include "cli/run_refines.h"
#include "cli/unless_limited.h"
#include "lang/reduce.h"

namespace plumb::cli {

namespace {

check::Answer answer_of(lang::Expectation expectation) {
  switch (expectation) {
    case lang::Expectation::kHolds:
      return check::Answer::kHolds;
    case lang::Expectation::kViolated:
      return check::Answer::kViolated;
    case lang::Expectation::kUnknown:
      return check::Answer::kUnknown;
  }
  return check::Answer::kHolds;
}

// The system of a check with fewer processes; null if there is none.
std::shared_ptr<const verify::Smaller> smaller(const LoadedCheck& loaded,
                                               const AskedCondition* asked,
                                               const lang::Settings& settings,
                                               const lts::Reductions& wanted,
                                               std::size_t processes) {
  struct Kept : verify::Smaller {
    LoadedCheck check;  // the system may refer to its tree
  };
  try {
    auto kept = std::make_shared<Kept>();
    kept->check = with_processes(loaded, processes);
    const lang::Model model = compile_check(kept->check, settings);
    kept->system = model.system;
    kept->reduced = reduced_for(kept->check, model, asked, wanted).system;
    return kept;
  } catch (const InputError&) {
    return nullptr;  // a role needs more processes, say
  }
}

verify::Outcome decide_condition(const LoadedCheck& loaded,
                                 const lang::Model& model,
                                 const AskedCondition& asked,
                                 verify::Question question,
                                 const HowToCheck& how, Budget& budget) {
  const check::Order order = asked.condition.order;
  question.specification = asked.object.get();
  question.order = order;
  verify::Options options = how.options;
  options.busy = busy_bound(loaded, model, order);
  if (loaded.check->by_relation) {
    return verify::check_relation(question, *model.abstraction, order, options,
                                  budget);
  }
  if (order != check::Order::kRealTime) {
    return verify::check_order(question, order, options, budget);
  }
  if (loaded.check->at_marks) options.method = verify::Options::Method::kMarks;
  return verify::check_linearizable(question, options, budget);
}

// What is asked, if that is a condition, and what is searched.
struct Asked {
  const AskedCondition* condition;
  const lts::System* reduced;
};

verify::Outcome decide(const LoadedCheck& loaded, const lang::Model& model,
                       const Asked& asked, const lang::Settings& settings,
                       const HowToCheck& how, Budget& budget) {
  const std::string& property = loaded.check->property;
  verify::Question question{.system = *model.system,
                            .specification = nullptr,
                            .codes = model.codes,
                            .smaller =
                                [&](std::size_t processes) {
                                  return smaller(loaded, asked.condition,
                                                 settings, how.reductions,
                                                 processes);
                                },
                            .reduced = asked.reduced};
  if (asked.condition != nullptr) {
    return decide_condition(loaded, model, *asked.condition,
                            std::move(question), how, budget);
  }
  if (property == "satisfies") {
    const std::string& fairness = loaded.check->fairness;
    const text::Source& source = *loaded.module->source;
    verify::Outcome outcome =
        decide_formula(*model.system,
                       {source, loaded.check->formula,
                        [&](const ltl::Atom& atom) {
                          return assertions::call_atom(atom.text, *model.system,
                                                       source.place(atom.span));
                        },
                        fairness.empty() ? how.fairness : fairness},
                       how.options, budget);
    // Of an object, a fault is a violation whatever was asked.
    if (outcome.path && !outcome.path->labels.empty() &&
        outcome.path->labels.back().kind == lts::LabelKind::kFault) {
      outcome.answer = check::Answer::kViolated;
    }
    return outcome;
  }
  if (property == "safe") {
    return verify::check_safe(question, how.options, budget);
  }
  return verify::check_progress(question, property, how.options, budget);
}

}  // namespace

// Reductions keep histories and faults, which is what conditions and `safe`
// are about.  A relation speaks of every state.
lts::Reduced reduced_for(const LoadedCheck& loaded, const lang::Model& model,
                         const AskedCondition* asked, lts::Reductions wanted) {
  const lang::Check& check = *loaded.check;
  const bool fits = asked != nullptr || check.property == "safe";
  if (!fits || check.by_relation) return {};
  wanted.keep_marks = check.at_marks;
  wanted.keep_room = asked == nullptr || may_give_early(*asked);
  return lang::reduce(model, asked == nullptr ? nullptr : asked->object.get(),
                      wanted);
}

report::ModelResult blank_result(const LoadedCheck& loaded) {
  report::ModelResult result;
  result.file = loaded.file;
  result.line = loaded.line;
  result.check = loaded.text;
  result.condition = loaded.check->property;
  if (loaded.check->at_marks) result.condition += " at marks";
  if (loaded.check->by_relation) result.condition += " by relation";
  if (loaded.check->expect) result.expect = answer_of(*loaded.check->expect);
  return result;
}

report::ModelResult blank_result(const LoadedCheck& loaded,
                                 const lang::Model& model) {
  report::ModelResult result = blank_result(loaded);
  result.specification = model.specification;
  result.bounds = model.bounds;
  const auto operations = model.system->operations();
  result.operations.assign(operations.begin(), operations.end());
  return result;
}

void explain_history(report::ModelResult& result, const AskedCondition& asked,
                     Budget& budget) {
  if (!result.outcome.history) return;
  const history::History& history = *result.outcome.history;
  check::Condition plain;
  plain.order = asked.condition.order;
  const check::Verdict verdict =
      check::decide(history, *asked.object, plain, {}, budget);
  if (verdict.answer != check::Answer::kViolated) return;
  const bool relaxed = asked.condition.relaxed();
  result.explanation =
      check::explain(history, *asked.object, plain, verdict, budget,
                     relaxed ? check::LongestOrder::kWithOthers
                             : check::LongestOrder::kOfCulprits);
  result.excess = check::measure_excess_on_model(
      history, result.specification, asked.condition, asked.universe,
      *result.explanation, budget);
}

std::string command_for(const LoadedCheck& loaded,
                        const lang::Settings& settings) {
  if (loaded.file == "<stdin>") return "";  // it is gone
  std::string out = "plumb verify";
  for (const auto& [name, value] : settings) {
    out += fmt::format(" --set {}={}", name, value);
  }
  return out +
         fmt::format(" {} {}", loaded.arguments, file_in_quotes(loaded.file));
}

// Nobody must take a verdict of the other construction for an exact one.
void label_construction(const std::string& relaxation,
                        check::Construction construction,
                        report::ModelResult& result) {
  if (construction == check::Construction::kExact ||
      relaxation.find("quasi") == std::string::npos) {
    return;
  }
  result.condition += " by windows";
  if (!result.outcome.hint.empty()) result.outcome.hint += "; ";
  result.outcome.hint +=
      "the window construction is not exact: see --relaxation in "
      "docs/models.md";
}

report::ModelResult run_check(const LoadedCheck& loaded,
                              const lang::Settings& settings,
                              const HowToCheck& how, Budget budget) {
  if (loaded.assertion != nullptr) return run_assertion(loaded, how, budget);
  if (loaded.check->refinement) {
    return run_refines(loaded, settings, how, budget);
  }
  const lang::Model model = compile_check(loaded, settings);
  report::ModelResult result = blank_result(loaded, model);
  std::optional<AskedCondition> asked;
  if (is_condition(loaded.check->property)) {
    asked = asked_condition(loaded, model, how.construction);
  }
  const AskedCondition* const question = asked ? &*asked : nullptr;
  HowToCheck again = how;
  do {
    const lts::Reduced reduced =
        reduced_for(loaded, model, question, how.reductions);
    result.outcome = unless_limited([&] {
      return decide(loaded, model, {question, reduced.system.get()}, settings,
                    again, budget);
    });
    result.notes = reduced.notes;
    again.options.journal = nullptr;  // which knows the values of before
  } while (
      asked && result.outcome.history &&
      add_values(*result.outcome.history, model, how.construction, *asked));
  label_construction(loaded.check->property, how.construction, result);
  result.peak_memory_bytes = peak_resident_bytes();
  if (result.outcome.answer != check::Answer::kViolated) return result;

  report::Trace trace;
  trace.file = loaded.file;
  trace.line = loaded.line;
  trace.check = loaded.text;
  trace.constants = settings;
  trace.reason = result.outcome.reason;
  if (result.outcome.lasso) {
    report::describe_lasso(*model.system, *result.outcome.lasso, trace);
  } else if (result.outcome.path) {
    report::describe_path(*model.system, *result.outcome.path, trace);
  }
  if (result.outcome.lasso || result.outcome.path) {
    result.trace = std::move(trace);
  }
  // The evidence is there already; a limit that is near must not hide it.
  Budget for_words;
  if (asked) {
    try {
      explain_history(result, *asked, for_words);
    } catch (const LimitError&) {
      // So it is not explained.
    }
  }
  result.replay = command_for(loaded, settings);
  return result;
}

}  // namespace plumb::cli
