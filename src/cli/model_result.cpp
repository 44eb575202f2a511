// SPDX-License-Identifier: Apache-2.0
#include "cli/model_result.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "base/budget.h"
#include "cli/common.h"
#include "report/event_failure.h"

namespace plumb::cli {

namespace {

// "plumb verify --check 27 'treiber.plumb'".
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

report::Refutation told(const ask::Refutation& found) {
  report::Refutation out;
  out.left = found.left_text;
  out.right = found.right_text;
  for (const verify::SpecificationStep& step : found.sequence) {
    const spec::Signature& signature = found.left->operations()[step.call.code];
    report::Refutation::Step& one = out.sequence.emplace_back();
    one.operation = signature.name;
    one.has_argument = signature.argument != spec::Argument::kNone;
    one.has_result = signature.result != spec::Result::kNone;
    one.argument = step.call.argument;
    one.result = step.result;
  }
  out.possible = found.possible;
  return out;
}

report::Trace told(const LoadedCheck& loaded, const ask::Question& question,
                   const lts::System& system, const lang::Settings& settings,
                   const verify::Outcome& found) {
  report::Trace trace;
  trace.file = loaded.file;
  trace.line = loaded.line;
  trace.check = loaded.text;
  trace.constants = settings;
  trace.reason = found.reason;
  if (found.lasso) {
    report::describe_lasso(system, *found.lasso, trace);
    // All else is about all processes, not about one.
    if (question.property != ask::Property::kProgress) trace.stuck.reset();
  } else {
    report::describe_path(system, *found.path, trace);
  }
  return trace;
}

void tell_failure(const verify::EventFailure& failure,
                  std::span<const std::string> operations,
                  verify::Outcome& outcome) {
  outcome.reason = report::reason_of(failure, operations);
  const auto details = report::details_of(failure, operations);
  outcome.details.insert(outcome.details.begin(), details.begin(),
                         details.end());
}

}  // namespace

report::ModelResult blank_result(const LoadedCheck& loaded,
                                 const ask::Question& question,
                                 ask::Outcome outcome) {
  report::ModelResult result;
  result.file = loaded.file;
  result.line = loaded.line;
  result.check = loaded.text;
  result.condition = loaded.subject->property_text(question);
  result.expect = loaded.subject->expected();
  result.specification = std::move(outcome.specification);
  result.bounds = std::move(outcome.bounds);
  result.operations = std::move(outcome.operations);
  result.outcome = std::move(outcome.found);
  result.notes = std::move(outcome.notes);
  result.explanation = std::move(outcome.explanation);
  result.excess = std::move(outcome.excess);
  if (outcome.by_windows) report::say_windows(result);
  if (result.outcome.failure) {
    tell_failure(*result.outcome.failure, outcome.system->operations(),
                 result.outcome);
  }
  return result;
}

report::ModelResult result_of(const LoadedCheck& loaded,
                              const ask::Question& question,
                              ask::Outcome outcome,
                              const lang::Settings& settings) {
  const auto system = outcome.system;
  const auto refutation = outcome.refutation;
  report::ModelResult result =
      blank_result(loaded, question, std::move(outcome));
  result.peak_memory_bytes = peak_resident_bytes();
  if (refutation) {
    result.refutation = told(*refutation);
    result.outcome.reason = report::refutation_reason(*result.refutation);
  }
  const verify::Outcome& found = result.outcome;
  if (system && (found.lasso || found.path)) {
    result.trace = told(loaded, question, *system, settings, found);
  }
  if (system || refutation) result.replay = command_for(loaded, settings);
  return result;
}

}  // namespace plumb::cli
