// SPDX-License-Identifier: Apache-2.0
#include "cli/run_check.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/input_error.h"
#include "check/decide.h"
#include "lang/reduce.h"

namespace plumb::cli {

namespace {

constexpr std::array<std::string_view, 4> kProgress = {
    "deadlock_free", "lock_free", "wait_free", "obstruction_free"};

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

[[noreturn]] void reject(const LoadedCheck& loaded, const std::string& what,
                         const std::string& hint) {
  reject_check(
      loaded,
      InputError(loaded.module->source->place(loaded.check->property_span),
                 what, hint));
}

// Reductions keep histories and faults, so they fit these two properties.
lts::Reduced reduce(const LoadedCheck& loaded, const lang::Model& model,
                    lts::Reductions wanted) {
  const std::string& property = loaded.check->property;
  if (property != "linearizable" && property != "safe") return {};
  wanted.keep_marks = loaded.check->at_marks;
  return lang::reduce(model, wanted);
}

// The system of a check with fewer processes; null if there is none.
std::shared_ptr<const verify::Smaller> smaller(const LoadedCheck& loaded,
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
    kept->reduced = reduce(kept->check, model, wanted).system;
    return kept;
  } catch (const InputError&) {
    return nullptr;  // a role needs more processes, say
  }
}

verify::Outcome decide(const LoadedCheck& loaded, const lang::Model& model,
                       const lts::System* reduced,
                       const lang::Settings& settings, const HowToCheck& how,
                       Budget& budget) {
  const std::string& property = loaded.check->property;
  const verify::Question question{
      *model.system, model.specification.get(), model.codes,
      [&](std::size_t processes) {
        return smaller(loaded, settings, how.reductions, processes);
      },
      reduced};
  if (property == "linearizable") {
    if (!model.specification) {
      reject(loaded,
             fmt::format("'{}' implements nothing, so there is nothing that it "
                         "could be linearizable to",
                         loaded.check->object_name),
             "write 'object NAME implements SPECIFICATION'");
    }
    verify::Options options = how.options;
    if (loaded.check->at_marks) {
      options.method = verify::Options::Method::kMarks;
    }
    return verify::check_linearizable(question, options, budget);
  }
  if (property == "safe") {
    return verify::check_safe(question, how.options, budget);
  }
  for (const std::string_view known : kProgress) {
    if (property == known) {
      return verify::check_progress(question, property, how.options, budget);
    }
  }
  reject(loaded, fmt::format("'{}' is not available on models yet", property),
         "there are linearizable, safe, deadlock_free, lock_free, wait_free "
         "and obstruction_free");
}

}  // namespace

report::ModelResult blank_result(const LoadedCheck& loaded,
                                 const lang::Model& model) {
  report::ModelResult result;
  result.file = loaded.file;
  result.line = loaded.line;
  result.check = loaded.text;
  result.condition = loaded.check->property;
  if (loaded.check->at_marks) result.condition += " at marks";
  result.specification = model.specification;
  result.bounds = model.bounds;
  const auto operations = model.system->operations();
  result.operations.assign(operations.begin(), operations.end());
  if (loaded.check->expect) result.expect = answer_of(*loaded.check->expect);
  return result;
}

void explain_history(report::ModelResult& result, Budget& budget) {
  if (!result.outcome.history || !result.specification) return;
  const history::History& history = *result.outcome.history;
  const check::Condition linearizable;
  const check::Verdict verdict =
      check::decide(history, *result.specification, linearizable, {}, budget);
  if (verdict.answer != check::Answer::kViolated) return;
  result.explanation = check::explain(history, *result.specification,
                                      linearizable, verdict, budget);
}

std::string command_for(const LoadedCheck& loaded,
                        const lang::Settings& settings) {
  if (loaded.file == "<stdin>") return "";  // it is gone
  std::string out = "plumb verify";
  for (const auto& [name, value] : settings) {
    out += fmt::format(" --set {}={}", name, value);
  }
  return out + fmt::format(" {} '{}'", loaded.arguments, loaded.file);
}

report::ModelResult run_check(const LoadedCheck& loaded,
                              const lang::Settings& settings,
                              const HowToCheck& how, Budget budget) {
  const lang::Model model = compile_check(loaded, settings);
  report::ModelResult result = blank_result(loaded, model);
  const lts::Reduced reduced = reduce(loaded, model, how.reductions);
  result.outcome =
      decide(loaded, model, reduced.system.get(), settings, how, budget);
  result.notes = reduced.notes;
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
  explain_history(result, for_words);
  result.replay = command_for(loaded, settings);
  return result;
}

}  // namespace plumb::cli
