// SPDX-License-Identifier: Apache-2.0
#include "report/model_json.h"

#include <numeric>
#include <utility>

#include "report/excess.h"
#include "report/history_json.h"
#include "report/model_text.h"
#include "report/trace_json.h"

namespace plumb::report {

namespace {

using check::Answer;

Json evidence(const ModelResult& result) {
  Json out;
  if (result.refutation) {
    out = refutation_json(*result.refutation);
    out["replay"] = result.replay;
    return out;
  }
  if (!result.trace) return nullptr;
  out["trace"] = to_json(*result.trace);
  if (result.outcome.history && result.specification) {
    const history::History& history = *result.outcome.history;
    std::vector<std::uint32_t> every(history.size());
    std::iota(every.begin(), every.end(), 0u);
    out["history"] = operations_json(history, *result.specification, every);
    if (result.explanation) {
      out["explanation"] =
          explanation_json(history, *result.specification, *result.explanation);
    }
    if (result.excess) {
      out["excess"] =
          excess_json(history, *result.specification, *result.excess);
    }
  }
  out["replay"] = result.replay;
  return out;
}

Json point(const ModelResult& result, const verify::Point& point) {
  const auto name = [&](std::uint16_t operation) -> Json {
    if (operation >= result.operations.size()) return nullptr;
    return result.operations[operation];
  };
  Json out;
  out["operation"] = name(point.operation);
  out["at"] = name(point.edge.operation);
  out["line"] = point.edge.line;
  out["statement"] = point.edge.statement;
  out["outcome"] = point.edge.outcome;
  out["may"] = point.may;
  out["by_other"] = point.by_other;
  out["only_if"] = point.only_if;
  return out;
}

Json statistics(const ModelResult& result) {
  const verify::Statistics& s = result.outcome.statistics;
  const double rate =
      s.seconds > 0 ? static_cast<double>(s.states) / s.seconds : 0;
  Json out = {{"states", s.states},
              {"transitions", s.transitions},
              {"pairs", s.pairs},
              {"sets", s.sets},
              {"specification_states", s.specification_states},
              {"depth", s.depth},
              {"seconds", s.seconds},
              {"states_per_second", rate},
              {"store_bytes", s.store_bytes},
              {"state_bytes", s.state_bytes},
              {"peak_memory_bytes", result.peak_memory_bytes},
              {"method", s.method},
              {"reductions",
               {{"states_represented", s.represented},
                {"transitions_left_out", s.left_out},
                {"steps_joined", s.joined},
                {"notes", result.notes}}}};
  if (!result.samples.empty()) out["samples"] = report::to_json(result.samples);
  return out;
}

}  // namespace

Json to_json(const ModelResult& result) {
  Json out;
  out["name"] = name_of(result);
  out["file"] = result.file;
  out["line"] = result.line;
  out["check"] = result.check;
  out["condition"] = result.condition;
  out["specification"] =
      result.specification ? Json(result.specification->name()) : Json();
  out["verdict"] = check::to_string(result.outcome.answer);
  out["expect"] =
      result.expect ? Json(check::to_string(*result.expect)) : Json();
  out["expected"] = result.is_as_expected();
  out["reason"] = result.outcome.reason;
  out["hint"] = result.outcome.hint;
  if (!result.outcome.details.empty()) out["details"] = result.outcome.details;
  out["bounds"] = result.bounds;
  out["bounds_met"] = result.outcome.bounds_met;
  out["points"] = Json::array();
  for (const verify::Point& one : result.outcome.points) {
    out["points"].push_back(point(result, one));
  }
  if (result.minimum_factor) {
    const MinimumFactor& minimum = *result.minimum_factor;
    out["minimum_factor"] = {
        {"of", minimum.of},
        {"factor", minimum.found ? Json(*minimum.found) : Json()},
        {"tried", minimum.tried}};
  }
  out["evidence"] = evidence(result);
  out["stats"] = statistics(result);
  if (result.outcome.answer == Answer::kViolated) {
    out["text"] = to_text(result, {});
  }
  if (result.graph) out["graph"] = to_json(*result.graph);
  if (!result.graph_left_out.empty()) {
    out["graph_left_out"] = result.graph_left_out;
  }
  return out;
}

}  // namespace plumb::report
