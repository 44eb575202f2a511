// SPDX-License-Identifier: Apache-2.0
// One value that is read, written, and swapped if it is the expected one.
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kRead, kWrite, kCas };

constexpr Signature kOperations[] = {
    {.name = "read",
     .result = Result::kValue,
     .reads_only = true,
     .meaning = "v, null at first"},
    {.name = "write", .argument = Argument::kValue},
    {.name = "cas",
     .argument = Argument::kPair,
     .result = Result::kSuccess,
     .meaning = "was it the old value"},
};

// State: the value.
class Register final : public Deterministic<Register> {
 public:
  explicit Register(const Shape& shape)
      : Deterministic("register", kOperations, shape) {}

  State initial() const override { return {Value()}; }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }

  std::optional<Value> result(const State& state, const Call& call) const {
    switch (call.code) {
      case kRead:
        return state[0];
      case kCas:
        return Value::boolean(state[0] == call.argument.items()[0]);
      default:
        return Value();
    }
  }

  void change(State& state, const Call& call, Value result) const {
    if (call.code == kWrite) {
      state[0] = call.argument;
    } else if (call.code == kCas && result.is_true()) {
      state[0] = call.argument.items()[1];
    }
  }

  std::string describe(const State& state) const override {
    return state[0].to_string();
  }
};

}  // namespace

SpecificationPtr make_register(const Shape& shape) {
  return std::make_shared<Register>(shape);
}

}  // namespace plumb::spec
