// SPDX-License-Identifier: Apache-2.0
// The smallest leaves first.  Which of several values with the same priority
// leaves first is open: [1, "a"] and [1, "b"] may come out in either order.
#include "spec/choosing.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

constexpr Signature kOperations[] = {
    {.name = "insert", .argument = Argument::kPriority},
    {.name = "remove_min",
     .result = Result::kValue,
     .takes = true,
     .meaning = "v, or null when empty"},
};

// A number is its own priority; a list begins with its priority.
Value priority(Value value) {
  if (value.is_integer() || !value.is_list()) return value;
  const auto items = value.items();
  return items.empty() ? value : items.front();
}

class PriorityQueue final : public Choosing<PriorityQueue> {
 public:
  explicit PriorityQueue(const Shape& shape)
      : Choosing("priority_queue", kOperations, shape) {}

  static bool before(Value a, Value b) {
    const auto order = compare(priority(a), priority(b));
    return order != 0 ? order < 0 : a.word() < b.word();
  }

  static std::size_t choices(std::span<const Value> state) {
    const Value least = priority(state.front());
    std::size_t count = 1;
    while (count < state.size() &&
           compare(priority(state[count]), least) == 0) {
      ++count;
    }
    return count;
  }

  bool has_turns(std::uint16_t code) const override { return code == kTake; }
  // Those of one priority have one turn, behind all that are smaller.
  void overtake(const State& state, const Call&, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    if (state.empty()) return;
    for (std::size_t turn = choices(state);
         turn < state.size() && turn <= furthest;) {
      const std::size_t alike = choices(std::span(state).subspan(turn));
      for (std::size_t i = turn; i < turn + alike; ++i) {
        if (i > turn && state[i] == state[i - 1]) continue;
        drop(append(outcomes, state[i], state), i);
      }
      turn += alike;
    }
  }

  std::string describe(const State& state) const override {
    State sorted = state;
    std::sort(sorted.begin(), sorted.end(), [](Value a, Value b) {
      const auto order = compare(priority(a), priority(b));
      return order != 0 ? order < 0 : compare(a, b) < 0;
    });
    return bracketed(sorted, '[', ']');
  }
};

}  // namespace

SpecificationPtr make_priority_queue(const Shape& shape) {
  return std::make_shared<PriorityQueue>(shape);
}

}  // namespace plumb::spec
