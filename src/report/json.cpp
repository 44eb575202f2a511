// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include "base/version.h"
#include "report/json_value.h"

namespace plumb::report {

namespace {

using check::Answer;

Json operation(const HistoryResult& result, std::uint32_t i) {
  const history::Operation& o = result.history->operations[i];
  const spec::Signature& signature = result.object->operations()[o.code];
  Json out;
  out["text"] = check::describe(o, *result.object);
  out["process"] = to_json(result.history->processes[o.process]);
  out["f"] = std::string(signature.name);
  out["argument"] = to_json(o.argument);
  if (o.pending()) {
    out["pending"] = true;
  } else {
    out["result"] = to_json(o.result);
  }
  out["line"] = o.line;
  if (o.returned_line > 0) out["returned_line"] = o.returned_line;
  return out;
}

Json operations(const HistoryResult& result,
                const std::vector<std::uint32_t>& indices) {
  Json out = Json::array();
  for (const std::uint32_t i : indices) out.push_back(operation(result, i));
  return out;
}

Json explanation(const HistoryResult& result) {
  const check::Explanation& why = *result.explanation;
  Json out;
  out["last"] = operation(result, why.last);
  out["shortest_prefix"] = why.is_shortest;
  out["culprits"] = operations(result, why.culprits);
  out["minimal"] = why.is_minimal;
  out["others_left_out"] = why.others_left_out;
  out["longest_order"] = operations(result, why.order);
  out["state"] = why.state;
  out["obstacles"] = Json::array();
  for (const check::Obstacle& obstacle : why.obstacles) {
    out["obstacles"].push_back(
        {{"operation", operation(result, obstacle.operation)},
         {"reason", obstacle.reason}});
  }
  out["replay"] = result.replay;
  return out;
}

Json minimum_factors(const check::MinimumFactors& found) {
  Json out;
  out["minimal"] = Json::array();
  for (const check::Factors& factors : found.minimal) {
    out["minimal"].push_back(factors.empty() ? Json::object() : Json(factors));
  }
  out["tried_up_to_sum"] = found.tried_up_to;
  out["complete"] = found.complete;
  out["reason"] = found.reason;
  return out;
}

Json to_json(const HistoryResult& result) {
  Json out;
  out["name"] = result.name;
  out["file"] = result.file;
  if (result.history && !result.history->object.is_null()) {
    out["key"] = report::to_json(result.history->object);
  }
  out["condition"] = result.condition;
  out["specification"] = result.object->name();
  out["verdict"] = check::to_string(result.verdict.answer);
  out["reason"] = result.verdict.reason;
  out["evidence"] = nullptr;
  if (result.explanation) {
    out["evidence"] = explanation(result);
  } else if (result.show_order && result.verdict.answer == Answer::kHolds) {
    out["evidence"] = {{"order", operations(result, result.verdict.order)}};
  }
  if (result.minimum_factors) {
    out["minimum_factors"] = minimum_factors(*result.minimum_factors);
  }
  out["stats"] = {
      {"operations", result.operations}, {"pending", result.pending},
      {"processes", result.processes},   {"not_judged", result.not_judged},
      {"steps", result.verdict.steps},   {"seconds", result.seconds}};
  return out;
}

}  // namespace

std::string to_json(const std::vector<HistoryResult>& results,
                    const std::vector<BadInput>& errors) {
  Json out;
  out["tool"] = "plumb";
  out["version"] = kVersion;
  out["level"] = "history";
  out["results"] = Json::array();
  for (const HistoryResult& result : results) {
    out["results"].push_back(to_json(result));
  }
  out["errors"] = Json::array();
  for (const BadInput& error : errors) {
    out["errors"].push_back({{"file", error.file}, {"message", error.message}});
  }
  return file_text(out);
}

}  // namespace plumb::report
