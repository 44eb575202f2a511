// SPDX-License-Identifier: Apache-2.0
#include "report/history_json.h"

namespace plumb::report {

namespace {

Json operation(const history::History& history,
               const spec::Specification& object, std::uint32_t i) {
  const history::Operation& o = history.operations[i];
  Json out;
  out["text"] = check::describe(o, object);
  out["process"] = to_json(history.processes[o.process]);
  out["f"] = std::string(object.operations()[o.code].name);
  out["argument"] = to_json(o.argument);
  if (o.pending()) {
    out["pending"] = true;
  } else {
    out["result"] = to_json(o.result);
  }
  if (o.line > 0) {
    out["line"] = o.line;
    if (o.returned_line > 0) out["returned_line"] = o.returned_line;
  } else {
    out["invoked"] = o.invoked;
    if (!o.pending()) out["returned"] = o.returned;
  }
  return out;
}

}  // namespace

Json operations_json(const history::History& history,
                     const spec::Specification& object,
                     std::span<const std::uint32_t> indices) {
  Json out = Json::array();
  for (const std::uint32_t i : indices) {
    out.push_back(operation(history, object, i));
  }
  return out;
}

Json explanation_json(const history::History& history,
                      const spec::Specification& object,
                      const check::Explanation& why) {
  Json out;
  out["last"] = operation(history, object, why.last);
  out["shortest_prefix"] = why.is_shortest;
  out["culprits"] = operations_json(history, object, why.culprits);
  out["minimal"] = why.is_minimal;
  out["others_left_out"] = why.others_left_out;
  out["longest_order"] = operations_json(history, object, why.order);
  out["state"] = why.state;
  out["obstacles"] = Json::array();
  for (const check::Obstacle& obstacle : why.obstacles) {
    out["obstacles"].push_back(
        {{"operation", operation(history, object, obstacle.operation)},
         {"reason", obstacle.reason}});
  }
  return out;
}

}  // namespace plumb::report
