// SPDX-License-Identifier: Apache-2.0
#include "verify/counterexample.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "check/decide.h"

namespace plumb::verify {

using lts::LabelKind;

history::History history_of(const lts::Path& path,
                            const SpecificationGraph& graph) {
  history::History history;
  std::vector<std::size_t> open;  // by process: its last operation
  history::Moment now = 0;
  for (std::size_t i = 0; i < path.labels.size(); ++i) {
    const lts::Label& label = path.labels[i];
    const auto line = static_cast<std::uint32_t>(i + 1);
    if (label.process >= open.size()) open.resize(label.process + 1u);
    if (label.kind == LabelKind::kInvoke) {
      open[label.process] = history.operations.size();
      history::Operation operation;
      operation.argument = label.value;
      operation.invoked = now++;
      operation.process = label.process;
      operation.line = line;
      operation.code = graph.code(label.operation);
      history.operations.push_back(operation);
    } else if (label.kind == LabelKind::kReturn) {
      history::Operation& operation = history.operations[open[label.process]];
      operation.result = graph.observed(label);
      operation.returned = now++;
      operation.returned_line = line;
    }
  }
  for (std::size_t p = 0; p < open.size(); ++p) {
    history.processes.push_back(Value::integer(static_cast<std::int64_t>(p)));
  }
  history.source = "<model>";
  return history;
}

check::Answer judge(const history::History& history,
                    const spec::Specification& object, Budget& budget,
                    check::Order order) {
  check::Options options;
  options.decider = check::Decider::kGeneral;
  check::Condition condition;
  condition.order = order;
  return check::decide(history, object, condition, options, budget).answer;
}

std::size_t switches(const lts::Path& path) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < path.labels.size(); ++i) {
    count += path.labels[i].process != path.labels[i - 1].process;
  }
  return count;
}

namespace {

using Labels = std::vector<lts::Label>;

// Depth-first runs can be longer; trying all blocks then takes too long.
constexpr std::size_t kLongestToReorder = 400;

// The run with these labels, if there is one.  Where two transitions have the
// same label, only the first is followed.
std::optional<lts::Path> replay(const lts::System& system,
                                const Labels& labels) {
  lts::Path path;
  path.states.push_back(system.initial());
  lts::Successors successors;
  for (const lts::Label& label : labels) {
    system.successors(path.states.back(), successors);
    std::size_t i = 0;
    while (i < successors.size() && successors.label(i) != label) ++i;
    if (i == successors.size()) return std::nullopt;
    const lts::StateView next = successors.state(i);
    path.labels.push_back(label);
    path.states.emplace_back(next.begin(), next.end());
  }
  return path;
}

std::size_t end_of_block(const Labels& labels, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < labels.size() && labels[end].process == labels[begin].process) {
    ++end;
  }
  return end;
}

// Where the next block of the same process begins, or size().
std::size_t next_block(const Labels& labels, std::size_t begin) {
  std::size_t at = end_of_block(labels, begin);
  while (at < labels.size() && labels[at].process != labels[begin].process) {
    ++at;
  }
  return at;
}

// Two blocks of a process become one: the second one moves to the first, or
// the first one to the second.
std::vector<Labels> merged(const Labels& labels, std::size_t begin) {
  const std::size_t second = next_block(labels, begin);
  if (second == labels.size()) return {};
  const auto at = [](Labels& all, std::size_t i) {
    return all.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::vector<Labels> results;
  const std::size_t first_end = end_of_block(labels, begin);
  const std::size_t second_end = end_of_block(labels, second);
  if (second_end < labels.size()) {
    Labels& forward = results.emplace_back(labels);
    std::rotate(at(forward, first_end), at(forward, second),
                at(forward, second_end));
  }
  Labels& back = results.emplace_back(labels);
  std::rotate(at(back, begin), at(back, first_end), at(back, second));
  return results;
}

std::optional<lts::Path> improved(
    const lts::Path& path, const lts::System& system,
    const std::function<bool(const lts::Path&)>& wanted) {
  for (std::size_t begin = 0; begin < path.labels.size();
       begin = end_of_block(path.labels, begin)) {
    for (const Labels& labels : merged(path.labels, begin)) {
      auto other = replay(system, labels);
      if (other && switches(*other) < switches(path) && wanted(*other)) {
        return other;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

lts::Path with_fewer_switches(
    const lts::Path& path, const lts::System& system,
    const std::function<bool(const lts::Path&)>& wanted) {
  lts::Path best = path;
  if (path.size() > kLongestToReorder) return best;
  while (auto better = improved(best, system, wanted)) {
    best = *std::move(better);
  }
  return best;
}

}  // namespace plumb::verify
