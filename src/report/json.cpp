// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <utility>

#include "report/excess.h"
#include "report/history_json.h"
#include "report/history_table.h"
#include "report/rank_errors.h"
#include "report/text.h"

namespace plumb::report {

namespace {

using check::Answer;

const char* relaxation_name(check::Relaxed kind) {
  if (kind == &check::Condition::out_of_order) return "out_of_order";
  if (kind == &check::Condition::late) return "late";
  if (kind == &check::Condition::stuttering) return "stuttering";
  return "quasi";
}

Json minimum_factors(const check::MinimumFactors& found) {
  Json out;
  out["relaxation"] = relaxation_name(found.kind);
  out["minimal"] = Json::array();
  for (const check::Factors& factors : found.minimal) {
    out["minimal"].push_back(factors.empty() ? Json::object() : Json(factors));
  }
  out["tried_up_to_sum"] = found.tried_up_to;
  out["complete"] = found.complete;
  out["reason"] = found.reason;
  return out;
}

}  // namespace

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
    out["evidence"] =
        explanation_json(*result.history, *result.object, *result.explanation);
    if (result.excess) {
      out["evidence"]["excess"] =
          excess_json(*result.history, *result.object, *result.excess);
    }
    out["evidence"]["replay"] = result.replay;
  } else if (result.show_order && result.verdict.answer == Answer::kHolds) {
    out["evidence"] = {
        {"order", operations_json(*result.history, *result.object,
                                  result.verdict.order)}};
  }
  for (const history::Remark& remark : result.remarks) {
    out["remarks"].push_back({{"line", remark.line}, {"text", remark.text}});
  }
  if (result.minimum_factors) {
    out["minimum_factors"] = minimum_factors(*result.minimum_factors);
  }
  if (result.rank_errors) {
    out["rank_errors"] =
        rank_errors_json(*result.history, *result.object, *result.rank_errors,
                         result.listed_takes);
  }
  out["stats"] = {
      {"operations", result.operations}, {"pending", result.pending},
      {"processes", result.processes},   {"not_judged", result.not_judged},
      {"steps", result.verdict.steps},   {"seconds", result.seconds}};
  if (result.verdict.answer == Answer::kViolated) {
    out["text"] = to_text(result, {});
  }
  if (result.drawn > 0 && result.history) {
    out["history"] = history_table(result, result.drawn);
  }
  return out;
}

}  // namespace plumb::report
