// SPDX-License-Identifier: Apache-2.0
// A set, which is a product of its values: each is present or absent.
#include <algorithm>

#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kAdd, kRemove, kContains };

constexpr Signature kOperations[] = {
    {.name = "add",
     .argument = Argument::kValue,
     .result = Result::kBoolean,
     .meaning = "was it absent"},
    {.name = "remove",
     .argument = Argument::kValue,
     .result = Result::kBoolean,
     .meaning = "was it present"},
    {.name = "contains",
     .argument = Argument::kValue,
     .result = Result::kBoolean,
     .reads_only = true,
     .meaning = "is it present"},
};

// State: the members in the order of their words.
class Set final : public Deterministic<Set> {
 public:
  explicit Set(const Shape& shape) : Deterministic("set", kOperations, shape) {}

  State initial() const override { return {}; }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    return renamed_members(state, from, to);
  }

  std::optional<Value> result(const State& state, const Call& call) const {
    const std::size_t at = place(state, call.argument);
    const bool present = at < state.size() && state[at] == call.argument;
    return Value::boolean(call.code == kAdd ? !present : present);
  }

  void change(State& state, const Call& call, Value result) const {
    if (call.code == kContains || !result.is_true()) return;
    const auto at = state.begin() +
                    static_cast<std::ptrdiff_t>(place(state, call.argument));
    if (call.code == kAdd) {
      state.insert(at, call.argument);
    } else {
      state.erase(at);
    }
  }

  std::optional<Value> part(const Call& call) const override {
    return call.argument;
  }

  std::string describe(const State& state) const override {
    return in_braces(state);
  }

 private:
  // Where `value` is, or where it would have to be.
  static std::size_t place(const State& state, Value value) {
    return static_cast<std::size_t>(
        std::lower_bound(state.begin(), state.end(), value, by_word) -
        state.begin());
  }
};

}  // namespace

SpecificationPtr make_set(const Shape& shape) {
  return std::make_shared<Set>(shape);
}

}  // namespace plumb::spec
