// SPDX-License-Identifier: Apache-2.0
// A number that starts at 0 and never goes below it.
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kInc, kDec, kGet };

constexpr Signature kOperations[] = {
    {.name = "inc", .result = Result::kInteger, .meaning = "value before"},
    {.name = "dec",
     .result = Result::kInteger,
     .meaning = "value before (stops at 0)"},
    {.name = "get",
     .result = Result::kInteger,
     .reads_only = true,
     .meaning = "value"},
};

// State: the number.
class Counter final : public Deterministic<Counter> {
 public:
  explicit Counter(const Shape& shape)
      : Deterministic("counter", kOperations, shape) {}

  State initial() const override { return {Value::integer(0)}; }

  std::optional<Value> result(const State& state, const Call&) const {
    return state[0];
  }

  void change(State& state, const Call& call, Value before) const {
    const std::int64_t number = before.as_integer();
    if (call.code == kInc) {
      state[0] = Value::integer(number + 1);
    } else if (call.code == kDec && number > 0) {
      state[0] = Value::integer(number - 1);
    }
  }

  std::string describe(const State& state) const override {
    return state[0].to_string();
  }
};

}  // namespace

SpecificationPtr make_counter(const Shape& shape) {
  return std::make_shared<Counter>(shape);
}

}  // namespace plumb::spec
