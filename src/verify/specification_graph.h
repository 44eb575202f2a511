// SPDX-License-Identifier: Apache-2.0
// A specification over small numbers: states, calls and results have ids.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "base/numbers.h"
#include "lts/symmetry.h"
#include "lts/system.h"
#include "spec/specification.h"

namespace plumb::verify {

using AbstractId = std::uint32_t;  // a state of the specification
using CallId = std::uint32_t;      // an operation with its argument
using ResultId = std::uint32_t;

// Built as it is explored: every (state, call) is asked of the specification
// once.  Serves any number of searches, one after the other.
class SpecificationGraph {
 public:
  struct Outcome {
    ResultId result;
    AbstractId next;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };
  using Outcomes = absl::InlinedVector<Outcome, 2>;

  // `codes`: for each operation of the system, which of the specification it
  // is; empty if they are the same.  Where one call has so many outcomes that
  // `budget` ends, LimitError is thrown.
  SpecificationGraph(const spec::Specification& object,
                     std::vector<std::uint16_t> codes, Budget budget = {});
  SpecificationGraph(const SpecificationGraph&) = delete;

  AbstractId initial() const { return 0; }
  std::size_t size() const { return states_.size(); }  // states so far

  // A state as the specification has it, and back.
  AbstractId state(std::span<const Value> values);
  const spec::State& state_of(AbstractId id) const { return states_[id]; }
  const spec::Specification& object() const { return object_; }

  // Of a label that is an invocation.
  CallId call(const lts::Label& invocation);
  // Of a label that is a return.  Where the caller sees no result, whatever
  // the label carries is taken for null.
  ResultId result(const lts::Label& returned);
  ResultId result(Value value);
  Value result_value(ResultId id) const { return results_[id]; }
  std::uint16_t code(std::uint16_t operation) const;
  const spec::Call& call_of(CallId call) const { return calls_[call]; }
  // The operation of a call, by its index in the specification.
  std::uint16_t code_of_call(CallId call) const { return calls_[call].code; }
  // What history readers would make of the result of such a return.
  Value observed(const lts::Label& returned) const;

  // The same by other names of the interchangeable `values`.  Requires, for
  // states: the specification can rename.
  AbstractId renamed_state(AbstractId state, std::span<const Value> values,
                           lts::Permutation permutation);
  CallId renamed_call(CallId call, std::span<const Value> values,
                      lts::Permutation permutation);
  ResultId renamed_result(ResultId id, std::span<const Value> values,
                          lts::Permutation permutation);

  // May a history end in this state?  Asked of the specification once.
  bool may_end(AbstractId state);
  // ... where these calls are pending?
  bool may_end(AbstractId state, std::span<const CallId> pending) const;

  // Without repetitions; none if the call blocks.  Valid for ever.
  const Outcomes& outcomes(AbstractId state, CallId call);

 private:
  struct CallHash {
    std::size_t operator()(const spec::Call& call) const;
  };

  AbstractId intern(spec::State&& state);
  CallId intern(const spec::Call& call);

  const spec::Specification& object_;
  std::vector<std::uint16_t> codes_;
  Budget budget_;
  // Deques, so that references last while they grow.
  std::deque<spec::State> states_;
  std::deque<Outcomes> outcomes_;
  NumberIndex index_;  // of states_
  std::vector<spec::Call> calls_;
  FlatMap<spec::Call, CallId, CallHash> call_ids_;
  std::vector<Value> results_;
  FlatMap<Value, ResultId> result_ids_;
  // For each state, for each call: an index of outcomes_, or kNotAsked.
  static constexpr std::uint32_t kNotAsked = UINT32_MAX;
  std::vector<std::vector<std::uint32_t>> known_;
  std::vector<spec::Outcome> scratch_;
  enum class End : std::uint8_t { kOpen, kMay, kMayNot };
  std::vector<End> ends_;  // by state
};

}  // namespace plumb::verify
