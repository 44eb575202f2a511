// SPDX-License-Identifier: Apache-2.0
// First in, first out.  State: the values, oldest first.
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kEnq, kDeq };

constexpr Signature kOperations[] = {
    {.name = "enq", .argument = Argument::kValue},
    {.name = "deq",
     .result = Result::kValue,
     .takes = true,
     .meaning = "v, or null when empty"},
};

class Queue final : public Deterministic<Queue> {
 public:
  explicit Queue(const Shape& shape)
      : Deterministic("queue", kOperations, shape) {}

  State initial() const override { return {}; }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }

  bool has_turns(std::uint16_t code) const override { return code == kDeq; }
  void overtake(const State& state, const Call&, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    overtake_in_line(state, false, furthest, outcomes);
  }

  std::optional<Value> result(const State& state, const Call& call) const {
    if (call.code == kEnq) return put_result(state.size());
    return state.empty() ? found_nothing() : state.front();
  }

  void change(State& state, const Call& call, Value result) const {
    if (call.code == kEnq) {
      if (took_effect(result)) state.push_back(call.argument);
    } else if (!state.empty()) {
      state.erase(state.begin());
    }
  }
};

}  // namespace

SpecificationPtr make_queue(const Shape& shape) {
  return std::make_shared<Queue>(shape);
}

}  // namespace plumb::spec
