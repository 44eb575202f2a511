// SPDX-License-Identifier: Apache-2.0
#include "verify/specification_graph.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "base/invariant.h"
#include "base/limit_error.h"

namespace plumb::verify {

std::size_t SpecificationGraph::CallHash::operator()(
    const spec::Call& call) const {
  return absl::HashOf(call.code, call.argument);
}

SpecificationGraph::SpecificationGraph(const spec::Specification& object,
                                       std::vector<std::uint16_t> codes,
                                       Budget budget)
    : object_(object), codes_(std::move(codes)), budget_(std::move(budget)) {
  intern(object.initial());
}

AbstractId SpecificationGraph::intern(spec::State&& state) {
  const std::uint64_t hash = absl::HashOf(state);
  const AbstractId known =
      index_.find(hash, [&](AbstractId id) { return states_[id] == state; });
  if (known != NumberIndex::kNone) return known;
  const auto id = static_cast<AbstractId>(states_.size());
  states_.push_back(std::move(state));
  index_.add(hash, id);
  return id;
}

AbstractId SpecificationGraph::state(std::span<const Value> values) {
  return intern(spec::State(values.begin(), values.end()));
}

std::uint16_t SpecificationGraph::code(std::uint16_t operation) const {
  return codes_.empty() ? operation : codes_[operation];
}

CallId SpecificationGraph::call(const lts::Label& invocation) {
  return intern(spec::Call{code(invocation.operation), invocation.value});
}

CallId SpecificationGraph::intern(const spec::Call& call) {
  const auto next = static_cast<CallId>(calls_.size());
  const auto [entry, is_new] = call_ids_.try_emplace(call, next);
  if (is_new) calls_.push_back(call);
  return entry->second;
}

Value SpecificationGraph::observed(const lts::Label& returned) const {
  const spec::Signature& signature =
      object_.operations()[code(returned.operation)];
  return signature.result == spec::Result::kNone ? Value() : returned.value;
}

ResultId SpecificationGraph::result(const lts::Label& returned) {
  return result(observed(returned));
}

ResultId SpecificationGraph::result(Value value) {
  const auto next = static_cast<ResultId>(results_.size());
  const auto [entry, is_new] = result_ids_.try_emplace(value, next);
  if (is_new) results_.push_back(value);
  return entry->second;
}

AbstractId SpecificationGraph::renamed_state(AbstractId state,
                                             std::span<const Value> values,
                                             lts::Permutation permutation) {
  std::vector<Value> to;
  for (std::size_t i = 0; i < values.size(); ++i) {
    to.push_back(values[permutation[i]]);
  }
  return intern(object_.renamed(states_[state], values, to));
}

CallId SpecificationGraph::renamed_call(CallId call,
                                        std::span<const Value> values,
                                        lts::Permutation permutation) {
  spec::Call other = calls_[call];
  other.argument = lts::renamed(other.argument, values, permutation);
  return intern(other);
}

ResultId SpecificationGraph::renamed_result(ResultId id,
                                            std::span<const Value> values,
                                            lts::Permutation permutation) {
  return result(lts::renamed(results_[id], values, permutation));
}

bool SpecificationGraph::may_end(AbstractId state) {
  if (ends_.size() <= state) ends_.resize(states_.size(), End::kOpen);
  if (ends_[state] == End::kOpen) {
    ends_[state] = object_.may_end(states_[state]) ? End::kMay : End::kMayNot;
  }
  return ends_[state] == End::kMay;
}

bool SpecificationGraph::may_end(AbstractId state,
                                 std::span<const CallId> pending) const {
  std::vector<spec::Call> calls;
  for (const CallId call : pending) calls.push_back(calls_[call]);
  return object_.may_end_with(states_[state], calls);
}

const SpecificationGraph::Outcomes& SpecificationGraph::outcomes(
    AbstractId state, CallId call) {
  if (state < known_.size() && call < known_[state].size() &&
      known_[state][call] != kNotAsked) {
    return outcomes_[known_[state][call]];
  }
  PLUMB_CHECK(state < states_.size() && call < calls_.size());
  scratch_.clear();
  // A specification of the user's own may throw; others then go on with what
  // is here, for a moment.
  object_.apply(states_[state], calls_[call], scratch_);
  Outcomes outcomes;
  FlatSet<std::uint64_t> seen;
  const bool is_single = scratch_.size() == 1;
  for (spec::Outcome& each : scratch_) {
    if (!is_single && budget_.spent()) {
      throw LimitError(budget_.describe_limit());
    }
    const Outcome outcome{result(each.result), intern(std::move(each.next))};
    const std::uint64_t both =
        (std::uint64_t{outcome.result} << 32) | outcome.next;
    if (is_single || seen.insert(both).second) outcomes.push_back(outcome);
  }
  if (known_.size() < states_.size()) known_.resize(states_.size());
  known_[state].resize(std::max(known_[state].size(), calls_.size()),
                       kNotAsked);
  known_[state][call] = static_cast<std::uint32_t>(outcomes_.size());
  return outcomes_.emplace_back(std::move(outcomes));
}

}  // namespace plumb::verify
