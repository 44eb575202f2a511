// SPDX-License-Identifier: Apache-2.0
#include "cli/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "check/decide.h"
#include "cli/csp_checks.h"
#include "cli/model_checks.h"
#include "cli/run_assertion.h"
#include "cli/run_check.h"
#include "lts/path_system.h"
#include "report/model_json.h"
#include "report/model_text.h"
#include "report/path_history.h"
#include "report/trace_json.h"
#include "report/words.h"
#include "verify/progress.h"

namespace plumb::cli {

namespace {

using report::Trace;
using report::TraceStep;

// Follows a trace in a system.  A step is known by who takes it, what the
// others see of it, its statement and the variables after it.  Should several
// states fit that, all of them are followed, and one run is given in the end.
class Walk {
 public:
  Walk(const lts::System& system, const Trace& trace, std::string name)
      : system_(system), trace_(trace), name_(std::move(name)) {}

  // Throws InputError if a step does not fit.
  lts::Path path();

 private:
  struct Reached {
    lts::StateBytes state;
    lts::Label label;
    std::size_t from;  // in the layer before
    report::CellNames names = {};
  };
  using Layer = std::vector<Reached>;

  Layer next(const Layer& layer, std::size_t number) const;
  [[noreturn]] void fail(const std::string& what,
                         const std::string& hint) const;
  std::string what_differs(const Layer& layer, const TraceStep& step) const;

  const lts::System& system_;
  const Trace& trace_;
  std::string name_;
};

bool same(const std::vector<lts::Variable>& a,
          const std::vector<lts::Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const lts::Variable& x, const lts::Variable& y) {
                      return x.name == y.name && x.value == y.value;
                    });
}

void Walk::fail(const std::string& what, const std::string& hint) const {
  throw InputError(Place{.source = name_, .text = ""}, what, hint);
}

// The same step, but for the variables after it?
bool is_like(const TraceStep& a, const TraceStep& b) {
  return a.process == b.process && a.kind == b.kind &&
         a.operation == b.operation && a.value == b.value &&
         a.statement == b.statement;
}

std::string difference(const std::vector<lts::Variable>& now,
                       const std::vector<lts::Variable>& then) {
  for (std::size_t i = 0; i < std::min(now.size(), then.size()); ++i) {
    if (now[i].name != then[i].name) break;
    if (now[i].value == then[i].value) continue;
    return fmt::format("then '{}' is {}, not {}", now[i].name, now[i].value,
                       then[i].value);
  }
  return "then there are other variables";
}

std::string Walk::what_differs(const Layer& layer,
                               const TraceStep& step) const {
  std::set<std::string> words;
  lts::Successors successors;
  for (const Reached& reached : layer) {
    system_.successors(reached.state, successors);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      const lts::Label& label = successors.label(i);
      report::CellNames names = reached.names;
      const TraceStep found = report::describe_step(
          system_, reached.state, label, successors.state(i), names);
      if (is_like(found, step)) return difference(found.state, step.state);
      words.insert(fmt::format("process {}: {}", label.process,
                               report::fitted(found.statement, 60)));
    }
  }
  return "possible here: " + (words.empty()
                                  ? "nothing"
                                  : fmt::format("{}", fmt::join(words, "; ")));
}

Walk::Layer Walk::next(const Layer& layer, std::size_t number) const {
  const TraceStep& step = trace_.steps[number];
  Layer out;
  lts::Successors successors;
  for (std::size_t from = 0; from < layer.size(); ++from) {
    system_.successors(layer[from].state, successors);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      const lts::StateView after = successors.state(i);
      report::CellNames names = layer[from].names;
      const TraceStep found = report::describe_step(
          system_, layer[from].state, successors.label(i), after, names);
      if (!is_like(found, step) || !same(found.state, step.state)) continue;
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const Reached& other) {
            return std::equal(other.state.begin(), other.state.end(),
                              after.begin(), after.end());
          });
      if (known) continue;
      out.push_back({{after.begin(), after.end()},
                     successors.label(i),
                     from,
                     std::move(names)});
    }
  }
  if (out.empty()) {
    fail(fmt::format("step {} of the trace, '{}' of process {}, does not fit "
                     "the model",
                     number + 1, report::fitted(step.statement, 60),
                     step.process),
         "the model has changed since; " + what_differs(layer, step));
  }
  return out;
}

lts::Path Walk::path() {
  std::vector<Layer> layers = {{{system_.initial(), {}, 0}}};
  Reached& first = layers[0][0];
  if (!same(report::describe_state(system_, first.state, first.names),
            trace_.initial)) {
    fail("the first state of the trace does not fit the model",
         "the model has changed since");
  }
  for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
    layers.push_back(next(layers.back(), i));
  }
  lts::Path path;
  std::size_t at = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    Reached& reached = layers[i][at];
    if (i > 0) path.labels.push_back(reached.label);
    at = reached.from;
    path.states.push_back(std::move(reached.state));
  }
  std::reverse(path.labels.begin(), path.labels.end());
  std::reverse(path.states.begin(), path.states.end());
  return path;
}

// Throws InputError if the end of a lasso does not lead back.
void require_cycle(const lts::Path& path, const Trace& trace,
                   const std::string& name) {
  if (path.states[*trace.back_to] == path.states.back()) return;
  throw InputError(
      Place{.source = name, .text = ""},
      fmt::format("the last step of the trace does not lead back to the state "
                  "before step {}",
                  *trace.back_to + 1),
      "the model has changed since");
}

bool is_endless(const lts::System& system, const lts::Path& path,
                const report::ModelResult& result) {
  const auto property = verify::progress_named(result.condition);
  if (!property) return false;
  lts::Lasso lasso;
  lasso.path = path;
  lasso.back_to = *result.trace->back_to;
  lasso.process = result.trace->stuck.value_or(0);
  if (lasso.process >= system.processes()) return false;
  lts::Successors successors;
  system.successors(path.states.back(), successors);
  lasso.waits = lasso.back_to == path.size() &&
                (successors.waiting >> lasso.process & 1) != 0;
  return verify::violates(lasso, *property, system);
}

// Is the run, which is one of the model, a violation?
bool is_violation(const lts::System& system, const lts::Path& path,
                  const report::ModelResult& result) {
  if (result.trace->back_to) return is_endless(system, path, result);
  if (!path.labels.empty() &&
      path.labels.back().kind == lts::LabelKind::kFault) {
    return true;
  }
  return result.explanation || !result.outcome.details.empty() ||
         result.condition == "linearizable at marks";
}

// Does an obligation of the relation fail on this run?
void judge_relation(const LoadedCheck& loaded, const lang::Model& model,
                    const lts::Path& path, Budget& budget,
                    report::ModelResult& result) {
  const AskedCondition asked =
      asked_condition(loaded, model, check::Construction::kExact);
  const lts::PathSystem run(*model.system, path);
  const verify::Question question{
      .system = run, .specification = asked.object.get(), .codes = model.codes};
  result.outcome = verify::check_relation(question, *model.abstraction,
                                          asked.condition.order, {}, budget);
}

void print(const report::ModelResult& result, bool violated) {
  print_text(stdout,
             fmt::format("{}: {}\n", one_line(report::name_of(result)),
                         violated ? "violated, all steps fit the model"
                                  : "all steps fit the model, and nothing is "
                                    "violated"));
  if (violated && !result.outcome.reason.empty()) {
    print_text(stdout, fmt::format("  {}\n", result.outcome.reason));
  }
  print_text(stdout, report::evidence_text(result, {}));
}

ExitStatus tell(const report::ModelResult& result, const CommonOptions& options,
                bool violated) {
  if (options.outputs.any()) {
    report::Sources none;
    options.outputs.write(
        report::result_file("object", report::Json::array({to_json(result)}),
                            {}, run_facts(none)),
        options.quiet);
  }
  if (options.says_text()) print(result, violated);
  return violated ? kExitViolated : kExitHolds;
}

ExitStatus replay_assertion(const LoadedCheck& loaded, Trace trace,
                            const std::string& path,
                            const CommonOptions& options) {
  const auto system = system_of(loaded, {});
  const lts::Path walked = Walk(*system, trace, path).path();
  if (trace.back_to) require_cycle(walked, trace, path);
  report::ModelResult result = blank_assertion(loaded);
  trace.line = loaded.line;
  report::describe_path(*system, walked, trace);
  result.trace = std::move(trace);
  Budget budget = options.budget();
  result.outcome = judge_run(loaded, walked, result.trace->back_to, budget);
  return tell(result, options,
              result.outcome.answer == check::Answer::kViolated);
}

}  // namespace

ExitStatus replay(const std::string& path,
                  const std::vector<std::string>& models,
                  const CommonOptions& options) {
  if (models.size() > 1) {
    throw InputError("--replay walks in one model, but there are several");
  }
  Trace trace = report::read_trace(path, read_text(path));
  if (!models.empty()) trace.file = models.front();
  if (trace.file == "<stdin>") {
    throw InputError(Place{.source = path, .text = ""},
                     "the model of this trace came from standard input",
                     "name the model too: plumb verify --replay FILE MODEL");
  }
  const LoadedCheck loaded = load_check(trace.file, trace.check, trace.line);
  if (loaded.assertion != nullptr) {
    return replay_assertion(loaded, std::move(trace), path, options);
  }
  const lang::Model model = compile_check(loaded, trace.constants);
  const lts::Path walked = Walk(*model.system, trace, path).path();
  if (trace.back_to) require_cycle(walked, trace, path);

  report::ModelResult result = blank_result(loaded, model);
  trace.line = loaded.line;
  report::describe_path(*model.system, walked, trace);
  result.trace = std::move(trace);
  result.outcome.reason = result.trace->reason;
  Budget budget = options.budget();
  if (loaded.check->by_relation) {
    judge_relation(loaded, model, walked, budget, result);
  } else if (model.specification && !result.trace->back_to &&
             is_condition(loaded.check->property)) {
    result.outcome.history = report::history_of(walked.labels, model.codes,
                                                model.system->processes());
    explain_history(result,
                    asked_condition(loaded, model, check::Construction::kExact),
                    budget);
  }
  const bool violated = is_violation(*model.system, walked, result);
  result.outcome.answer =
      violated ? check::Answer::kViolated : check::Answer::kUnknown;
  return tell(result, options, violated);
}

}  // namespace plumb::cli
