// SPDX-License-Identifier: Apache-2.0
// Last in, first out.  State: the values, oldest first, the top last.
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kPush, kPop };

constexpr Signature kOperations[] = {
    {.name = "push", .argument = Argument::kValue},
    {.name = "pop",
     .result = Result::kValue,
     .takes = true,
     .meaning = "v, or null when empty"},
};

class Stack final : public Deterministic<Stack> {
 public:
  explicit Stack(const Shape& shape)
      : Deterministic("stack", kOperations, shape) {}

  State initial() const override { return {}; }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }

  bool has_turns(std::uint16_t code) const override { return code == kPop; }
  void overtake(const State& state, const Call&, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    overtake_in_line(state, true, furthest, outcomes);
  }

  std::optional<Value> result(const State& state, const Call& call) const {
    if (call.code == kPush) return put_result(state.size());
    return state.empty() ? found_nothing() : state.back();
  }

  void change(State& state, const Call& call, Value result) const {
    if (call.code == kPush) {
      if (took_effect(result)) state.push_back(call.argument);
    } else if (!state.empty()) {
      state.pop_back();
    }
  }
};

}  // namespace

SpecificationPtr make_stack(const Shape& shape) {
  return std::make_shared<Stack>(shape);
}

}  // namespace plumb::spec
