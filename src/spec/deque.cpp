// SPDX-License-Identifier: Apache-2.0
// A queue with two ends.  State: the values from front to back.
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kPushFront, kPushBack, kPopFront, kPopBack };

constexpr Signature kOperations[] = {
    {.name = "push_front", .argument = Argument::kValue},
    {.name = "push_back", .argument = Argument::kValue},
    {.name = "pop_front",
     .result = Result::kValue,
     .takes = true,
     .meaning = "v, or null when empty"},
    {.name = "pop_back",
     .result = Result::kValue,
     .takes = true,
     .meaning = "v, or null when empty"},
};

class Deque final : public Deterministic<Deque> {
 public:
  explicit Deque(const Shape& shape)
      : Deterministic("deque", kOperations, shape) {}

  State initial() const override { return {}; }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }

  bool has_turns(std::uint16_t code) const override {
    return code == kPopFront || code == kPopBack;
  }
  void overtake(const State& state, const Call& call, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    overtake_in_line(state, call.code == kPopBack, furthest, outcomes);
  }

  std::optional<Value> result(const State& state, const Call& call) const {
    if (puts(call)) return put_result(state.size());
    if (state.empty()) return found_nothing();
    return call.code == kPopFront ? state.front() : state.back();
  }

  void change(State& state, const Call& call, Value result) const {
    if (puts(call) ? !took_effect(result) : state.empty()) return;
    switch (call.code) {
      case kPushFront:
        state.insert(state.begin(), call.argument);
        break;
      case kPushBack:
        state.push_back(call.argument);
        break;
      case kPopFront:
        state.erase(state.begin());
        break;
      case kPopBack:
        state.pop_back();
        break;
    }
  }

 private:
  static bool puts(const Call& call) {
    return call.code == kPushFront || call.code == kPushBack;
  }
};

}  // namespace

SpecificationPtr make_deque(const Shape& shape) {
  return std::make_shared<Deque>(shape);
}

}  // namespace plumb::spec
