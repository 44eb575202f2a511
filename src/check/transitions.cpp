// SPDX-License-Identifier: Apache-2.0
#include "check/transitions.h"

#include <absl/hash/hash.h>

#include <utility>

namespace plumb::check {

std::size_t Transitions::StateHash::operator()(const spec::State& state) const {
  return absl::HashOf(state);
}

Transitions::Transitions(const spec::Specification& object)
    : object_(object), index_(0, StateHash{this}, StateEqual{this}) {
  intern(object.initial());
}

StateId Transitions::intern(spec::State&& state) {
  const auto found = index_.find(state);
  if (found != index_.end()) return *found;
  const auto id = static_cast<StateId>(states_.size());
  states_.push_back(std::move(state));
  index_.insert(id);
  return id;
}

LabelId Transitions::label(const spec::Call& call,
                           std::optional<Value> observed) {
  const auto next = static_cast<LabelId>(labels_.size());
  const Label label{call, observed,
                    observed && object_.changes_nothing(call, *observed)};
  const auto [entry, is_new] = label_ids_.try_emplace(label, next);
  if (is_new) labels_.push_back(label);
  return entry->second;
}

bool Transitions::may_end(StateId state,
                          std::span<const LabelId> pending) const {
  std::vector<spec::Call> calls;
  for (const LabelId label : pending) calls.push_back(labels_[label].call);
  return object_.may_end_with(states_[state], calls);
}

std::span<const StateId> Transitions::next(StateId state, LabelId label) {
  const std::uint64_t key = (std::uint64_t{state} << 32) | label;
  const auto found = known_.find(key);
  Successors successors;
  if (found != known_.end()) {
    successors = found->second;
  } else {
    successors = explore(state, label);
    known_.emplace(key, successors);
  }
  if (successors.count == 0) return {};
  if (successors.count == 1) {
    single_ = successors.first;
    return {&single_, 1};
  }
  return {&more_[successors.first], successors.count};
}

Transitions::Successors Transitions::explore(StateId state, LabelId label) {
  scratch_.clear();
  // A copy: the specification may be asked while states_ grows.
  const Label asked = labels_[label];
  object_.step(states_[state], asked.call, asked.observed, scratch_);
  std::vector<StateId> ids;
  for (spec::State& next : scratch_) {
    ids.push_back(intern(std::move(next)));
  }
  Successors successors{.count = static_cast<std::uint32_t>(ids.size()),
                        .first = ids.empty() ? 0 : ids[0]};
  if (ids.size() > 1) {
    successors.first = static_cast<std::uint32_t>(more_.size());
    more_.insert(more_.end(), ids.begin(), ids.end());
  }
  return successors;
}

}  // namespace plumb::check
