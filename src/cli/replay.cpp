// SPDX-License-Identifier: Apache-2.0
#include "cli/replay.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "cli/model_checks.h"
#include "cli/model_result.h"
#include "report/model_json.h"
#include "report/model_text.h"
#include "report/trace_json.h"
#include "report/walk_trace.h"

namespace plumb::cli {

namespace {

using report::Trace;

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
  const LoadedCheck loaded =
      load_check(trace.file, trace.check, trace.line, trace.constants);
  const auto system = loaded.subject->whole().system;
  const ask::Run run{report::walk_trace(*system, trace, path), trace.back_to,
                     trace.stuck};
  const ask::Question question = loaded.subject->question();
  Budget budget = options.budget();
  ask::Outcome outcome = loaded.subject->judge(question, run, budget);
  const bool violated = outcome.found.answer == check::Answer::kViolated;
  report::ModelResult result =
      blank_result(loaded, question, std::move(outcome));
  if (violated && result.outcome.reason.empty()) {
    result.outcome.reason = trace.reason;
  }
  trace.line = loaded.line;
  report::describe_path(*system, run.path, trace);
  result.trace = std::move(trace);
  return tell(result, options, violated);
}

}  // namespace plumb::cli
