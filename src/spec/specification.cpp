// SPDX-License-Identifier: Apache-2.0
#include "spec/specification.h"

#include "base/new_names.h"

namespace plumb::spec {

void Specification::step(const State& state, const Call& call,
                         std::optional<Value> observed,
                         std::vector<State>& next) const {
  std::vector<Outcome> outcomes;
  apply(state, call, outcomes);
  for (Outcome& outcome : outcomes) {
    if (!observed || outcome.result == *observed) {
      next.push_back(std::move(outcome.next));
    }
  }
}

bool Specification::changes_nothing(const Call& call, Value observed) const {
  const Signature& signature = operations()[call.code];
  return signature.reads_only || (signature.takes && observed.is_null());
}

void Specification::overtake(const State&, const Call&, std::size_t,
                             std::vector<Outcome>&) const {}

State Specification::renamed(const State& state, std::span<const Value> from,
                             std::span<const Value> to) const {
  State made = state;
  for (Value& value : made) value = spec::renamed(value, from, to);
  return made;
}

std::string Specification::describe(const State& state) const {
  return Value::list(state).to_string();
}

Value renamed(Value value, std::span<const Value> from,
              std::span<const Value> to) {
  return with_new_names(value, [&](Value each) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == each) return to[i];
    }
    return each;
  });
}

std::optional<std::uint16_t> find_operation(const Specification& object,
                                            std::string_view name) {
  const auto operations = object.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].name == name) return static_cast<std::uint16_t>(i);
  }
  return std::nullopt;
}

}  // namespace plumb::spec
