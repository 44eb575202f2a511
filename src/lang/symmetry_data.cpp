// SPDX-License-Identifier: Apache-2.0
#include "lang/symmetry_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plumb::lang {
namespace {

constexpr const char* kNotUnderstood = "is not understood";

class DataFinder {
 public:
  DataFinder(const Program& program, const Flow& flow)
      : program_(program), flow_(flow) {
    data_.is_data.resize(flow.facts().size());
    if (flow.lost()) object(flow.lost(), kNotUnderstood);
  }

  DataClasses run() {
    for (const OperationCode& operation : program_.operations) {
      for (const Parameter& parameter : operation.parameters) {
        add_number(*parameter.shape, flow_.of_register(parameter.reg),
                   operation);
      }
      if (operation.result == nullptr) continue;
      if (operation.result->is_number()) {
        add_number(*operation.result,
                   flow_.of_register(operation.result_register), operation);
      } else {
        add_result(flow_.block(operation.result_block), operation);
      }
    }
    for (Flow::Node node = 0; node < data_.is_data.size(); ++node) {
      if (data_.is_data[node]) look_at(flow_.facts()[node]);
    }
    return std::move(data_);
  }

 private:
  void object(std::optional<Span> span, std::string what) {
    const auto begin = [](const std::optional<Span>& of) {
      return of ? of->begin : UINT32_MAX;
    };
    if (data_.obstacle && begin(data_.obstacle->span) <= begin(span)) return;
    data_.obstacle = Obstacle{span, std::move(what)};
  }

  void add_number(const Shape& shape, Flow::Node node,
                  const OperationCode& operation) {
    if (shape.kind == ShapeKind::kProcess) {
      object(operation.span, "passes processes to clients or from them");
    }
    if (shape.kind == ShapeKind::kInt) data_.is_data[node] = true;
  }

  // Operations return no sets as it is; clients would see their order.
  void add_result(Flow::PlaceId id, const OperationCode& operation) {
    const Flow::Place& place = flow_.place(id);
    if (place.shape->is_number()) {
      add_number(*place.shape, flow_.of_number(id), operation);
      return;
    }
    if (place.shape->kind == ShapeKind::kSet ||
        place.shape->kind == ShapeKind::kMap) {
      object(operation.span, "returns values in their order");
    }
    add_result(place.element, operation);
    if (place.key != Flow::kNone) add_result(place.key, operation);
  }

  void look_at(const FlowFacts& facts) {
    if (facts.process) object(facts.visible, "mixes values and processes");
    if (facts.misuse) {
      object(facts.misuse->span, fmt::format("{} values", facts.misuse->what));
    }
    for (const FlowFacts::Split& split : facts.splits) {
      object(split.span, split.kind == FlowFacts::Split::Kind::kBelow
                             ? "asks for the order of values"
                             : "computes with values");
    }
    for (const FlowFacts::Indexed& indexed : facts.indexes) {
      object(indexed.span, "uses a value as an index");
    }
    for (const FlowFacts::Fixed& fixed : facts.constants) {
      data_.constants.push_back(fixed.number);
    }
    data_.ranges.insert(data_.ranges.end(), facts.checks.begin(),
                        facts.checks.end());
    for (const Shape* shape : facts.shapes) {
      data_.ranges.push_back({shape->range.low, shape->range.high,
                              facts.visible.value_or(Span{})});
    }
  }

  const Program& program_;
  const Flow& flow_;
  DataClasses data_;
};

// Does [low, high] hold some of 0 .. count - 1 but not all?
bool holds_some(std::int32_t low, std::int32_t high, std::int32_t count) {
  const bool all = low <= 0 && high >= count - 1;
  const bool none = low > count - 1 || high < 0;
  return !all && !none;
}

std::optional<Obstacle> process_obstacle_of(const FlowFacts& facts,
                                            std::int32_t processes) {
  if (facts.misuse) {
    return Obstacle{facts.misuse->span, "uses a process as a number"};
  }
  if (facts.visible) {
    return Obstacle{facts.visible, "passes processes to clients or from them"};
  }
  for (const FlowFacts::Indexed& indexed : facts.indexes) {
    if (static_cast<std::int32_t>(indexed.count) >= processes) continue;
    return Obstacle{indexed.span, "has elements for some processes only"};
  }
  for (const FlowFacts::Checked& checked : facts.checks) {
    if (!holds_some(checked.low, checked.high, processes)) continue;
    return Obstacle{checked.span, "has room for some processes only"};
  }
  for (const Shape* shape : facts.shapes) {
    if (!holds_some(shape->range.low, shape->range.high, processes)) continue;
    return Obstacle{std::nullopt, "a variable has room for some of them only"};
  }
  return std::nullopt;
}

// Leaves together what was together and has the same answers.
template <typename Answer>
void split_groups_by(const Answer& answer, Groups& groups) {
  const Groups before = groups;
  for (std::size_t p = 0; p < groups.size(); ++p) {
    std::size_t q = 0;
    while (before[q] != before[p] || answer(static_cast<std::int32_t>(q)) !=
                                         answer(static_cast<std::int32_t>(p))) {
      ++q;
    }
    groups[p] = static_cast<std::uint8_t>(q);
  }
}

// `last`: the place of some question.
void split_groups(const FlowFacts& facts, Groups& groups,
                  std::optional<Span>& last) {
  for (const FlowFacts::Fixed& fixed : facts.constants) {
    if (fixed.number < 0 ||
        fixed.number >= static_cast<std::int32_t>(groups.size())) {
      continue;
    }
    split_groups_by([&](std::int32_t p) { return p == fixed.number ? 1 : 0; },
                    groups);
    last = fixed.span;
  }
  for (const FlowFacts::Split& split : facts.splits) {
    split_groups_by([&](std::int32_t p) { return split.answer(p); }, groups);
    last = split.span;
  }
}

}  // namespace

std::string text_of(const Obstacle& obstacle, const Source& source) {
  if (!obstacle.span) return obstacle.what;
  return fmt::format("line {} {}", source.line(*obstacle.span), obstacle.what);
}

DataClasses find_data(const Program& program, const Flow& flow) {
  return DataFinder(program, flow).run();
}

std::vector<std::int32_t> alike(const DataClasses& data,
                                std::vector<std::int32_t> numbers,
                                std::optional<Obstacle>& obstacle) {
  std::erase_if(numbers, [&](std::int32_t number) {
    return std::find(data.constants.begin(), data.constants.end(), number) !=
           data.constants.end();
  });
  for (const FlowFacts::Checked& range : data.ranges) {
    const auto inside =
        std::count_if(numbers.begin(), numbers.end(), [&](std::int32_t number) {
          return range.low <= number && number <= range.high;
        });
    if (inside == 0 || inside == std::ssize(numbers)) continue;
    obstacle = Obstacle{range.span, "has room for some values only"};
    return {};
  }
  return numbers;
}

bool any_alike(const Groups& groups) {
  for (std::size_t p = 0; p < groups.size(); ++p) {
    if (groups[p] != p) return true;
  }
  return false;
}

std::optional<Obstacle> process_obstacle(const Program& program,
                                         const Flow& flow, Groups& groups) {
  const auto count = static_cast<std::int32_t>(program.processes);
  std::optional<Obstacle> first;
  if (flow.lost()) first = Obstacle{flow.lost(), kNotUnderstood};
  const auto begin = [](const Obstacle& of) {
    return of.span ? of.span->begin : UINT32_MAX;
  };
  std::optional<Span> split;
  for (const FlowFacts& facts : flow.facts()) {
    if (!facts.process) continue;
    const auto found = process_obstacle_of(facts, count);
    if (found && (!first || begin(*found) < begin(*first))) first = found;
    split_groups(facts, groups, split);
  }
  if (!first && split && !any_alike(groups)) {
    first = Obstacle{split, "tells processes apart by their numbers"};
  }
  return first;
}

}  // namespace plumb::lang
