// SPDX-License-Identifier: Apache-2.0
// Containers whose take may return any of several values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "spec/built_in.h"

namespace plumb::spec {

// State: the values, sorted, so that equal contents have equal states.
// Operation 0 puts, operation 1 takes.  `Object` gives
//
//   static bool before(Value, Value)
//     the order of the state, strict and total;
//   static std::size_t choices(std::span<const Value>)
//     how many of the first values a take may return.
//
// Invariant: the choices are in the order of their words.  That finds an
// observed value among them in logarithmic time, and copies of one value, of
// which only one counts as a choice, stand together.
template <typename Object>
class Choosing : public BuiltIn {
 public:
  State initial() const final { return {}; }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const final {
    if (call.code == kPut) {
      const Value result = put_result(state.size());
      put(append(outcomes, result, state), call.argument, result);
    } else if (state.empty()) {
      if (!blocking()) append(outcomes, Value(), state);
    } else {
      for_each_choice(state, [&](std::size_t index) {
        drop(append(outcomes, state[index], state), index);
      });
    }
  }

  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const final {
    if (call.code == kPut) {
      const Value result = put_result(state.size());
      if (observed && *observed != result) return;
      next.push_back(state);
      put(next.back(), call.argument, result);
    } else if (state.empty()) {
      if (blocking() || (observed && !observed->is_null())) return;
      next.push_back(state);
    } else if (observed) {
      take_observed(state, *observed, next);
    } else {
      for_each_choice(state, [&](std::size_t index) {
        next.push_back(state);
        drop(next.back(), index);
      });
    }
  }

 protected:
  using BuiltIn::BuiltIn;

  enum Code : std::uint16_t { kPut, kTake };

  static void drop(State& state, std::size_t index) {
    state.erase(state.begin() + static_cast<std::ptrdiff_t>(index));
  }

 private:
  static void put(State& state, Value value, Value result) {
    if (!took_effect(result)) return;
    state.insert(
        std::upper_bound(state.begin(), state.end(), value, Object::before),
        value);
  }

  static void take_observed(const State& state, Value observed,
                            std::vector<State>& next) {
    const auto first = state.begin();
    const auto last =
        first + static_cast<std::ptrdiff_t>(Object::choices(state));
    const auto found =
        std::lower_bound(first, last, observed,
                         [](Value a, Value b) { return a.word() < b.word(); });
    if (found == last || *found != observed) return;
    const auto index = static_cast<std::size_t>(found - first);
    next.push_back(state);
    drop(next.back(), index);
  }

  template <typename Function>
  static void for_each_choice(const State& state, Function use) {
    const std::size_t count = Object::choices(state);
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || state[i] != state[i - 1]) use(i);
    }
  }
};

}  // namespace plumb::spec
