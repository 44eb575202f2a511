// SPDX-License-Identifier: Apache-2.0
// A multiset whose take returns any of its values.
#include "spec/choosing.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

constexpr Signature kOperations[] = {
    {.name = "add", .argument = Argument::kValue},
    {.name = "take",
     .result = Result::kValue,
     .takes = true,
     .meaning = "any v, or null when empty"},
};

class Bag final : public Choosing<Bag> {
 public:
  explicit Bag(const Shape& shape) : Choosing("bag", kOperations, shape) {}

  static bool before(Value a, Value b) { return by_word(a, b); }
  static std::size_t choices(std::span<const Value> state) {
    return state.size();
  }

  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    return renamed_members(state, from, to);
  }

  std::string describe(const State& state) const override {
    return in_braces(state);
  }
};

}  // namespace

SpecificationPtr make_bag(const Shape& shape) {
  return std::make_shared<Bag>(shape);
}

}  // namespace plumb::spec
