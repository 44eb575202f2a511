// SPDX-License-Identifier: Apache-2.0
#include "harness/state_graphs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "check/relaxation.h"
#include "check/transformed.h"
#include "history/history.h"

namespace plumb::harness {

namespace {

constexpr std::size_t kMostStates = 1'000'000;
constexpr std::size_t kMostGraphs = 64;

template <typename Use>
void for_each_seen(const SeenCalls& calls, Use&& use) {
  for (const auto* part : {&calls.first, &calls.threads, &calls.after}) {
    for (const SeenCall& one : *part) use(one);
  }
}

}  // namespace

check::Transitions& StateGraphs::strict() {
  if (!strict_ || strict_->size() > kMostStates) {
    strict_ = std::make_unique<check::Transitions>(object_);
  }
  return *strict_;
}

check::Transitions* StateGraphs::exact(const SeenCalls& calls) {
  if (!condition_.relaxed()) return &strict();
  if (condition_.literal() || object_.parts_are_objects()) return nullptr;
  row_.clear();
  if (condition_.quasi()) make_row(calls);
  if (graphs_.size() > kMostGraphs || states() > kMostStates) {
    graphs_.clear();
    index_.clear();
  }
  std::uint32_t number = index_[row_];
  if (number == 0) {
    Graph graph{object_for(calls), nullptr};
    graph.transitions = std::make_unique<check::Transitions>(*graph.object);
    graphs_.push_back(std::move(graph));
    number = index_[row_] = static_cast<std::uint32_t>(graphs_.size());
  }
  return graphs_[number - 1].transitions.get();
}

std::size_t StateGraphs::states() const {
  std::size_t sum = 0;
  for (const Graph& graph : graphs_) sum += graph.transitions->size();
  return sum;
}

// The set of calls with results.
void StateGraphs::make_row(const SeenCalls& calls) {
  std::vector<std::array<std::uint64_t, 3>> mentioned;
  for_each_seen(calls, [&](const SeenCall& one) {
    mentioned.push_back({one.call.code, one.call.argument.word(),
                         one.result.value_or(Value()).word()});
  });
  std::sort(mentioned.begin(), mentioned.end());
  mentioned.erase(std::unique(mentioned.begin(), mentioned.end()),
                  mentioned.end());
  for (const auto& one : mentioned) {
    row_.insert(row_.end(), one.begin(), one.end());
  }
}

spec::SpecificationPtr StateGraphs::object_for(const SeenCalls& calls) const {
  const check::Plain plain =
      check::without_transformations(object_, condition_);
  if (!plain.condition.relaxed()) return plain.object;
  // Only what it mentions matters, not in which order.
  history::History history;
  for_each_seen(calls, [&](const SeenCall& one) {
    history::Operation& operation = history.operations.emplace_back();
    operation.code = one.call.code;
    operation.argument = one.call.argument;
    operation.result = one.result.value_or(Value());
  });
  return check::relaxed_object(history, object_, plain.condition, Budget());
}

}  // namespace plumb::harness
