// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>

#include "harness/results.h"
#include "report/history_json.h"
#include "report/json_value.h"
#include "report/result_file.h"
#include "report/words.h"

namespace plumb::harness {

namespace {

using report::Json;

Json evidence_json(const TestResult& result) {
  if (!result.evidence) return nullptr;
  const Evidence& evidence = *result.evidence;
  Json out;
  out["kind"] = evidence.is_fault ? "fault" : "history";
  if (evidence.is_fault) out["fault"] = name_of(result.finding.fault);
  out["program"] = evidence.program_lines;
  if (!evidence.smaller_program_lines.empty()) {
    out["smaller_program"] = evidence.smaller_program_lines;
  }
  if (!evidence.machines.empty()) out["machines"] = evidence.machines;
  if (!evidence.remedies.sets.empty()) {
    out["stronger_orders"] = evidence.remedies.sets;
  }
  out["schedule"] = evidence.schedule;
  out["steps"] = evidence.steps;
  if (!evidence.graph.is_null()) out["graph"] = evidence.graph;
  if (evidence.history) {
    const history::History& history = *evidence.history;
    std::vector<std::uint32_t> every(history.size());
    std::iota(every.begin(), every.end(), 0u);
    out["history"] =
        report::operations_json(history, *result.specification, every);
    if (evidence.explanation) {
      out["explanation"] = report::explanation_json(
          history, *result.specification, *evidence.explanation);
    }
  }
  out["replay"] = result.replay;
  return out;
}

Json heaps_json(std::uint32_t heaps) {
  Json out = Json::array();
  for (const Heap heap :
       {Heap::kLifo, Heap::kFifo, Heap::kQuarantine, Heap::kShared}) {
    if (heaps >> static_cast<unsigned>(heap) & 1) {
      out.push_back(std::string(to_string(heap)));
    }
  }
  return out;
}

Json statistics_json(const TestResult& result) {
  const Statistics& s = result.statistics;
  const double rate =
      result.seconds > 0
          ? static_cast<double>(s.executions + s.graphs + s.blocked) /
                result.seconds
          : 0;
  Json out = {
      {"programs", result.programs},
      {"all_programs", result.all_programs},
      {"executions", s.executions},
      {"states", s.states},
      {"graphs", s.graphs},
      {"blocked", s.blocked},
      {"traces", is_exhaustive(result.search) && !result.stress && s.states == 0
                     ? Json(s.executions)
                     : Json()},
      {"events", s.events},
      {"histories", s.states == 0 ? Json(result.histories) : Json()},
      {"seconds", result.seconds},
      {"executions_per_second", rate},
      {"search", result.stress ? "stress" : to_string(result.search)},
      {"heaps", heaps_json(result.heaps)},
      {"exhaustive", result.exhaustive}};
  if (!result.samples.empty()) {
    out["samples"] = report::to_json(result.samples);
  }
  return out;
}

}  // namespace

Json to_json(const TestResult& result) {
  Json out;
  out["name"] = result.name;
  out["file"] = result.file;
  out["line"] = result.line;
  out["condition"] = result.condition.empty() ? Json() : Json(result.condition);
  out["specification"] =
      result.specification ? Json(result.specification->name()) : Json();
  out["verdict"] = check::to_string(result.answer);
  out["expect"] = result.says_expect ? Json(result.expect.to_string()) : Json();
  out["expected"] = result.is_as_expected();
  out["reason"] = result.reason;
  out["caveats"] = result.caveats.clauses;
  out["memory"] = result.answer == check::Answer::kHolds
                      ? Json(to_string(result.caveats.memory))
                      : Json();
  if (result.relaxations) {
    out["relaxations"] = result.relaxations->lines;
  }
  out["weaker_orders"] = result.caveats.weaker_orders;
  out["evidence"] = evidence_json(result);
  out["stats"] = statistics_json(result);
  if (result.answer == check::Answer::kViolated) {
    TestResult whole = result;
    whole.show_evidence = true;
    out["text"] = report::without_colors(to_text(whole, {}));
  }
  return out;
}

std::string to_json(const std::vector<TestResult>& results,
                    const std::vector<report::BadInput>& errors) {
  Json all = Json::array();
  for (const TestResult& result : results) all.push_back(to_json(result));
  return report::file_text(
      report::result_file("program", std::move(all), errors));
}

}  // namespace plumb::harness
