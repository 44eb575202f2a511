// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include <fmt/format.h>

#include <utility>

namespace plumb::report {

namespace {

// An operation and a function that it calls may both have an `n`: the second
// is called "n (2)", as names are keys in files.
std::vector<lts::Variable> with_own_names(
    std::vector<lts::Variable> variables) {
  std::map<std::string, int> seen;
  for (lts::Variable& variable : variables) {
    const int count = ++seen[variable.name];
    if (count > 1) variable.name += " (" + std::to_string(count) + ")";
  }
  return variables;
}

}  // namespace

std::string words_of(const lts::Effect& effect) {
  switch (effect.kind) {
    case lts::Effect::Kind::kRead:
      return fmt::format("read {} = {}", effect.place, effect.before);
    case lts::Effect::Kind::kWrite:
      return fmt::format("{}: {} -> {}", effect.place, effect.before,
                         effect.after);
    case lts::Effect::Kind::kNew:
      return fmt::format("{}: new {}", effect.place, effect.after);
    case lts::Effect::Kind::kFree:
      return effect.place + ": freed";
    case lts::Effect::Kind::kReuse:
      return effect.place + ": used again";
  }
  return "";
}

std::string words_of(const std::vector<lts::Effect>& effects) {
  std::string out;
  for (const lts::Effect& effect : effects) {
    out += (out.empty() ? "" : ", ") + words_of(effect);
  }
  return out;
}

std::vector<lts::Variable> describe_state(const lts::System& system,
                                          lts::StateView state,
                                          CellNames& names) {
  return names.translated(with_own_names(system.describe(state)));
}

TraceStep describe_step(const lts::System& system, lts::StateView before,
                        const lts::Label& label, lts::StateView after,
                        CellNames& names) {
  TraceStep step;
  step.kind = label.kind;
  step.marked = label.marked;
  step.process = label.process;
  const auto operations = system.operations();
  if (label.operation < operations.size()) {
    step.operation = operations[label.operation];
  }
  step.value = label.value;
  lts::StepText text = system.explain(before, label, after);
  step.line = text.line;
  step.statement = std::move(text.statement);
  for (lts::Effect& effect : text.effects) {
    step.effects.push_back({effect.kind, names.translated(effect.place),
                            names.translated(effect.before),
                            names.translated(effect.after)});
  }
  names.step(text);
  if (label.kind == lts::LabelKind::kFault) {
    step.fault = system.fault(label.fault);
  }
  step.state = describe_state(system, after, names);
  return step;
}

void describe_path(const lts::System& system, const lts::Path& path,
                   Trace& trace) {
  trace.processes = system.processes();
  CellNames names;
  trace.initial = describe_state(system, path.states.front(), names);
  trace.steps.clear();
  for (std::size_t i = 0; i < path.size(); ++i) {
    trace.steps.push_back(describe_step(system, path.states[i], path.labels[i],
                                        path.states[i + 1], names));
  }
}

void describe_lasso(const lts::System& system, const lts::Lasso& lasso,
                    Trace& trace) {
  describe_path(system, lasso.path, trace);
  trace.back_to = lasso.back_to;
  trace.stuck = lasso.process;
  // Where nobody can take a step, it is no use to name one of them.
  trace.waiting.reset();
  lts::Successors successors;
  system.successors(lasso.path.states.back(), successors);
  if (lasso.waits && successors.size() > 0) trace.waiting = lasso.process;
}

}  // namespace plumb::report
