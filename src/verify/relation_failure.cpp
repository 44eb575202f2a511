// SPDX-License-Identifier: Apache-2.0
#include "verify/relation_failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/abstract_sets.h"
#include "verify/evidence.h"
#include "verify/operation_logs.h"
#include "verify/words.h"

namespace plumb::verify {

using lts::LabelKind;

namespace {

// More than this nobody reads.
constexpr std::size_t kMostShown = 6;

// What happens between the last quiescent moment before the end of a run, and
// its end.
struct BusyPeriod {
  std::size_t begin = 0;  // the state at that moment
  LogId returned = kEmptyLog;
  std::vector<OperationId> operations;
};

BusyPeriod last_busy_period(const lts::Path& path, SpecificationGraph& graph,
                            OperationLogs& logs) {
  BusyPeriod period;
  std::vector<CallId> calls;
  std::size_t pending = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const lts::Label& label = path.labels[i];
    if (label.process >= calls.size()) calls.resize(label.process + 1u);
    if (label.kind == LabelKind::kInvoke) {
      if (pending++ == 0) period = {i, kEmptyLog, {}};
      calls[label.process] = graph.call(label);
    } else if (label.kind == LabelKind::kReturn) {
      --pending;
      const OperationId operation =
          logs.operation({calls[label.process], graph.result(label)});
      period.returned = logs.inserted(period.returned, operation);
      period.operations.push_back(operation);
    }
  }
  if (pending != 0) fail("a return to quiescence leaves something pending");
  return period;
}

}  // namespace

std::string RelationFailure::text_of(AbstractId state) const {
  return graph_.object().describe(graph_.state_of(state));
}

std::string RelationFailure::text_of(std::span<const AbstractId> states) const {
  std::string text;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i == kMostShown) {
      return text + fmt::format(" and {} more", states.size() - i);
    }
    text += (i == 0 ? "" : ", ") + text_of(states[i]);
  }
  return text.empty() ? "nothing" : text;
}

std::string RelationFailure::text_of_call(CallId id) const {
  const spec::Call& call = graph_.call_of(id);
  const spec::Signature& operation = graph_.object().operations()[call.code];
  const bool has_argument = operation.argument != spec::Argument::kNone;
  return fmt::format("{}({})", operation.name,
                     has_argument ? call.argument.to_string() : "");
}

std::string RelationFailure::text_of(lts::StateView state) const {
  std::string text;
  for (const lts::Variable& each : question_.system.describe(state)) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", each.name,
                        each.value);
  }
  return text;
}

RelationFailure::Related RelationFailure::related(lts::StateView state) const {
  Related made;
  std::vector<std::vector<Value>> states;
  if (const auto wrong = relation_.relate(state, states)) {
    made.text = "unknown, for the relation cannot be evaluated: " + *wrong;
    return made;
  }
  for (const auto& each : states) made.states.push_back(graph_.state(each));
  made.text = text_of(made.states);
  return made;
}

Outcome RelationFailure::failed(const std::string& obligation,
                                const lts::Path& path) const {
  require_run(path, question_.system);
  Outcome outcome;
  outcome.answer = check::Answer::kViolated;
  outcome.reason = fmt::format("obligation '{}' fails", obligation);
  outcome.hint =
      "the relation proves nothing then; of the object nothing is known, a "
      "check without 'by relation' decides";
  outcome.path = path;
  const std::size_t last = path.size();
  if (last > 0) {
    outcome.details.push_back("state before: " +
                              text_of(path.states[last - 1]));
  }
  outcome.details.push_back((last > 0 ? "state after: " : "state: ") +
                            text_of(path.states[last]));
  return outcome;
}

Outcome RelationFailure::at_start() const {
  lts::Path path;
  path.states.push_back(question_.system.initial());
  Outcome outcome = failed("initialisation", path);
  outcome.details.push_back("it is related to: " +
                            related(path.states[0]).text);
  outcome.details.push_back("the specification begins with: " +
                            text_of(graph_.initial()));
  return outcome;
}

Outcome RelationFailure::of_coupled(const lts::Path& path) const {
  OperationLogs logs(graph_);
  Budget deaf = Budget::deaf();
  AbstractSets sets(graph_, logs, deaf);
  const BusyPeriod period = last_busy_period(path, graph_, logs);
  Outcome outcome = failed("return to quiescent", path);
  const Related before = related(path.states[period.begin]);
  const Related after = related(path.states.back());
  outcome.details.push_back("related when nothing was pending before: " +
                            before.text);
  std::string operations;
  for (const OperationId each : period.operations) {
    const auto [call, result] = logs[each];
    if (!operations.empty()) operations += ", ";
    operations += text_of_call(call);
    const auto code = graph_.code_of_call(call);
    if (graph_.object().operations()[code].result == spec::Result::kNone) {
      continue;
    }
    operations += " -> " + graph_.result_value(result).to_string();
  }
  outcome.details.push_back("operations since then: " + operations);
  outcome.details.push_back("related now: " + after.text);
  for (const AbstractId state : before.states) {
    std::vector<AbstractId> one = {state};
    const auto reached =
        sets.after_any_order(sets.intern(one), period.returned);
    const bool matches = std::ranges::any_of(sets[*reached], [&](AbstractId r) {
      return std::ranges::find(after.states, r) != after.states.end();
    });
    if (matches) continue;
    outcome.details.push_back(fmt::format("orders of them lead from {} to: {}",
                                          text_of(state),
                                          text_of(sets[*reached])));
    return outcome;
  }
  fail("an obligation that failed does not fail");
}

Outcome RelationFailure::of_forward(
    const lts::Path& path, const Configurations& machine,
    std::span<const ConfigurationId> before) const {
  const LabelKind kind = path.labels.back().kind;
  Outcome outcome = failed(kind == LabelKind::kInvoke   ? "invocation"
                           : kind == LabelKind::kReturn ? "return"
                                                        : "internal",
                           path);
  outcome.details.push_back("related after: " +
                            related(path.states.back()).text);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i == kMostShown) {
      outcome.details.push_back(fmt::format("and {} more", before.size() - i));
      break;
    }
    std::string text =
        "the specification before: " + text_of(machine.object(before[i]));
    for (std::size_t p = 0; p < machine.processes(); ++p) {
      const Status status = machine.status(before[i], p);
      if (status.is_pending()) {
        text += fmt::format("; {} of process {} has not taken effect",
                            text_of_call(status.call()), p);
      } else if (status.is_done()) {
        text += fmt::format("; process {} is to return {}", p,
                            graph_.result_value(status.result()).to_string());
      }
    }
    outcome.details.push_back(text);
  }
  return outcome;
}

}  // namespace plumb::verify
