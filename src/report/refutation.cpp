// SPDX-License-Identifier: Apache-2.0
#include "report/refutation.h"

#include <fmt/format.h>

#include "report/words.h"

namespace plumb::report {

namespace {

std::string shown(const Refutation::Step& step) {
  std::vector<std::string> arguments;
  if (step.has_argument && step.argument.is_list()) {
    for (const Value value : step.argument.items()) {
      arguments.push_back(value.to_string());
    }
  } else if (step.has_argument) {
    arguments.push_back(step.argument.to_string());
  }
  std::string out =
      fmt::format("{}({})", step.operation, fmt::join(arguments, ", "));
  if (step.has_result) out += " -> " + step.result.to_string();
  return out;
}

// "null", "1 or 2", "1, 2 or 3".
std::string listed(const std::vector<Value>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += i + 1 == values.size() ? " or " : ", ";
    out += values[i].to_string();
  }
  return out;
}

// What the right one does at the last step instead.
std::string instead(const Refutation& refutation) {
  const Refutation::Step& last = refutation.sequence.back();
  if (refutation.possible.empty()) {
    return fmt::format("'{}' lets '{}' wait there", refutation.right,
                       last.operation);
  }
  return fmt::format("'{}' can only give {} there", refutation.right,
                     listed(refutation.possible));
}

}  // namespace

std::string refutation_reason(const Refutation& refutation) {
  const std::size_t before = refutation.sequence.size() - 1;
  return fmt::format(
      "'{}' may do what '{}' may not: {}, {}", refutation.left,
      refutation.right,
      before == 0 ? "at first" : "after " + counted(before, "call"),
      shown(refutation.sequence.back()));
}

std::string refutation_text(const Refutation& refutation, std::size_t width) {
  std::string out = fmt::format("\n  Calls of '{}':\n\n", refutation.left);
  for (const Refutation::Step& step : refutation.sequence) {
    out += wrapped(shown(step), "    ", width);
  }
  return out + '\n' + wrapped(instead(refutation), "  ", width);
}

Json refutation_json(const Refutation& refutation) {
  Json sequence = Json::array();
  for (const Refutation::Step& step : refutation.sequence) {
    Json one;
    one["f"] = step.operation;
    one["argument"] = step.has_argument ? to_json(step.argument) : Json();
    one["result"] = step.has_result ? to_json(step.result) : Json();
    sequence.push_back(std::move(one));
  }
  Json possible = Json::array();
  for (const Value value : refutation.possible) {
    possible.push_back(to_json(value));
  }
  Json out;
  out["left"] = refutation.left;
  out["right"] = refutation.right;
  out["sequence"] = std::move(sequence);
  out["possible"] = std::move(possible);
  return out;
}

}  // namespace plumb::report
