// SPDX-License-Identifier: Apache-2.0
#include "cli/draw_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explore/small_graph.h"
#include "report/words.h"

namespace plumb::cli {

namespace {

using explore::SmallGraph;

// More is no picture any more.
constexpr std::size_t kMostStates = 400;

std::string text_of(const lts::System& system, const lts::Label& label) {
  const auto operations = system.operations();
  const std::string name = label.operation < operations.size()
                               ? operations[label.operation]
                               : std::string();
  const std::string value =
      label.value.is_null() ? "" : label.value.to_string();
  switch (label.kind) {
    case lts::LabelKind::kInvoke:
      return fmt::format("{}({})", name, value);
    case lts::LabelKind::kReturn:
      return value.empty() ? name + " returns"
                           : fmt::format("{} returns {}", name, value);
    case lts::LabelKind::kFault:
      return system.fault(label.fault);
    case lts::LabelKind::kEvent:
      return label.value.is_text() ? std::string(label.value.as_text()) : value;
    case lts::LabelKind::kTerminate:
      return "ends";
    case lts::LabelKind::kInternal:
      break;
  }
  const lts::Edge edge = system.edge(label.edge);
  if (edge.statement.empty()) return "internal";
  return edge.outcome.empty()
             ? edge.statement
             : fmt::format("{}, {}", edge.statement, edge.outcome);
}

std::string text_of(const lts::System& system,
                    const std::vector<lts::Label>& labels) {
  std::string out;
  for (const lts::Label& label : labels) {
    if (!out.empty()) out += "; ";
    out += text_of(system, label);
  }
  return report::fitted(out, 200);
}

report::StateGraph described(const lts::System& system,
                             const SmallGraph& graph) {
  report::StateGraph out;
  for (std::uint32_t i = 0; i < graph.states.size(); ++i) {
    std::vector<std::string>& lines = out.states.emplace_back();
    if (graph.faults[i]) {
      lines.push_back(system.fault(graph.faults[i]->fault));
      out.faults.push_back(i);
      continue;
    }
    for (const lts::Variable& variable : system.describe(graph.states[i])) {
      lines.push_back(report::fitted(
          fmt::format("{} = {}", variable.name, variable.value), 200));
    }
  }
  for (const SmallGraph::Edge& edge : graph.edges) {
    out.edges.push_back({edge.from, edge.to, text_of(system, edge.labels),
                         edge.labels.back().process});
  }
  return out;
}

const lts::Path* run_of(const verify::Outcome& outcome) {
  if (outcome.lasso) return &outcome.lasso->path;
  return outcome.path ? &*outcome.path : nullptr;
}

class Drawing {
 public:
  Drawing(Budget& budget, report::ModelResult& result)
      : budget_(budget), result_(result) {}

  // Returns whether all is there that there could be.
  bool draw(const lts::System& system, bool reduced) {
    const auto graph = explore::small_graph(system, kMostStates, budget_);
    if (!graph) return false;
    const lts::Path* const run = run_of(result_.outcome);
    auto way = run != nullptr ? explore::way_through(*graph, system, *run)
                              : std::nullopt;
    if (result_.graph && !way) return false;
    result_.graph = described(system, *graph);
    result_.graph->reduced = reduced;
    result_.graph->path = std::move(way);
    return run == nullptr || result_.graph->path.has_value();
  }

 private:
  Budget& budget_;
  report::ModelResult& result_;
};

}  // namespace

// What was searched, if it is small enough; where the counterexample is no run
// of that, the whole system may still be small.
void draw_states(const LoadedCheck& check, const ask::Question& question,
                 Budget budget, report::ModelResult& result) {
  if (question.property == ask::Property::kComparison) return;
  const std::uint64_t states = result.outcome.statistics.states;
  if (states > kMostStates) {
    result.graph_left_out = "too many states: " + report::grouped(states);
    return;
  }
  Drawing drawing(budget, result);
  const auto reduced = check.subject->reduced(question);
  if (!reduced || !drawing.draw(*reduced, true)) {
    drawing.draw(*check.subject->whole().system, false);
  }
  if (!result.graph) {
    result.graph_left_out =
        fmt::format("too many states: more than {}", kMostStates);
  }
}

}  // namespace plumb::cli
