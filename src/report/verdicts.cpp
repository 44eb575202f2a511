// SPDX-License-Identifier: Apache-2.0
#include "report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/read_result.h"
#include "report/words.h"

namespace plumb::report {

namespace {

using Kind = Judged::Kind;

// What nobody expected is what counts.  Histories expect nothing but to hold.
Kind kind_of(const Json& result, const std::string& verdict) {
  const Json* const expected = member(result, "expected");
  const bool passed = expected != nullptr && expected->is_boolean()
                          ? expected->get<bool>()
                          : verdict == "holds";
  if (passed) return Kind::kPassed;
  return verdict == "unknown" ? Kind::kUnknown : Kind::kViolated;
}

// "quiescent+quasi(deq=1)" is "quiescent+quasi"; "satisfies [] p" and the like
// are known by their first word.
std::string rule_of(const Json& result) {
  const Json* const evidence = member(result, "evidence");
  if (evidence != nullptr) {
    const std::string fault = text_in(*evidence, "fault");
    if (!fault.empty()) return fault;
  }
  std::string out;
  int depth = 0;
  for (const char c : text_in(result, "condition")) {
    if (c == '(') ++depth;
    if (depth == 0 && c == ' ') break;
    if (depth == 0) out += c;
    if (c == ')') --depth;
  }
  return out.empty() ? "test" : fitted(out, 80);
}

std::vector<Judged::Step> steps_of_program(const Json& evidence) {
  std::vector<Judged::Step> out;
  for (const Json& step : list_in(evidence, "steps")) {
    Judged::Step one;
    one.file = text_in(step, "file");
    one.line = count_in(step, "line");
    one.thread = text_in(step, "thread");
    one.text = fmt::format("{}: {}", one.thread, text_in(step, "text"));
    out.push_back(std::move(one));
  }
  return out;
}

std::string effects_of(const Json& step) {
  std::string out;
  for (const Json& effect : list_in(step, "effects")) {
    if (!effect.is_string()) continue;
    out += (out.empty() ? " (" : ", ") + effect.get<std::string>();
  }
  return out.empty() ? out : out + ')';
}

std::vector<Judged::Step> steps_of_model(const Json& trace,
                                         const std::string& file) {
  std::vector<Judged::Step> out;
  for (const Json& step : list_in(trace, "steps")) {
    Judged::Step one;
    one.file = file;
    one.line = count_in(step, "line");
    one.thread = fmt::format("process {}", count_in(step, "process"));
    std::string what = text_in(step, "fault");
    if (what.empty()) what = text_in(step, "statement") + effects_of(step);
    one.text = fmt::format("{}: {}", one.thread, what);
    out.push_back(std::move(one));
  }
  return out;
}

// The operations that cannot be explained together, each where it returned.
std::vector<Judged::Step> steps_of_history(const Json& evidence,
                                           const std::string& file) {
  std::vector<Judged::Step> out;
  for (const Json& operation : list_in(evidence, "culprits")) {
    Judged::Step one;
    one.file = file;
    one.line = std::max(count_in(operation, "line"),
                        count_in(operation, "returned_line"));
    const Json* const process = member(operation, "process");
    one.thread = fmt::format(
        "process {}",
        process == nullptr
            ? ""
            : fitted(
                  process->dump(-1, ' ', false, Json::error_handler_t::replace),
                  40));
    one.text = fmt::format("{}: {}", one.thread, text_in(operation, "text"));
    out.push_back(std::move(one));
  }
  return out;
}

void add_evidence(const Json& result, Judged& out) {
  const Json* const evidence = member(result, "evidence");
  if (evidence == nullptr || !evidence->is_object()) return;
  if (const Json* const trace = member(*evidence, "trace")) {
    out.steps = steps_of_model(*trace, out.file);
  } else if (member(*evidence, "steps") != nullptr) {
    out.steps = steps_of_program(*evidence);
  } else {
    out.steps = steps_of_history(*evidence, out.file);
  }
  // A fault is where the run ends; libraries are somebody else's.
  if (text_in(*evidence, "kind") == "fault" && !out.steps.empty()) {
    const Judged::Step& end = out.steps.back();
    if (end.line > 0 && !end.file.starts_with('/')) {
      out.at_file = end.file;
      out.at_line = end.line;
    }
  }
  // A history is wrong where the first return is that nothing explains.
  const Json* const last = member(*evidence, "last");
  if (last == nullptr || out.at_line > 0) return;
  out.at_line = count_in(*last, "returned_line");
  if (out.reason.empty() && !text_in(*last, "text").empty()) {
    out.reason = fmt::format("{} cannot be explained", text_in(*last, "text"));
  }
}

Judged judged(const Json& result) {
  Judged out;
  out.name = text_in(result, "name");
  out.file = text_in(result, "file");
  out.at_file = out.file;
  out.at_line = count_in(result, "line");
  out.condition = text_in(result, "condition");
  out.verdict = text_in(result, "verdict");
  out.reason = text_in(result, "reason");
  out.kind = kind_of(result, out.verdict);
  out.rule = rule_of(result);
  out.text = text_in(result, "text");
  if (const Json* const stats = member(result, "stats")) {
    out.seconds = number_in(*stats, "seconds");
  }
  add_evidence(result, out);
  if (out.kind == Kind::kViolated && out.verdict == "holds") {
    out.reason = "it holds, but it was expected to be violated";
  }
  if (out.reason.empty()) out.reason = out.verdict;
  return out;
}

}  // namespace

Verdicts verdicts_in(const Json& file) {
  Verdicts out;
  out.version = text_in(file, "version");
  out.level = text_in(file, "level");
  out.seconds = number_in(file, "seconds");
  for (const Json& result : list_in(file, "results")) {
    out.results.push_back(judged(result));
  }
  for (const Json& error : list_in(file, "errors")) {
    out.errors.push_back({text_in(error, "file"), text_in(error, "message")});
  }
  return out;
}

std::string headline(const Judged& one) {
  const std::string what =
      one.condition.empty() ? one.verdict
                            : fmt::format("{} {}", one.condition, one.verdict);
  return fitted(one.reason == one.verdict
                    ? what
                    : fmt::format("{}: {}", what, one.reason),
                500);
}

}  // namespace plumb::report
