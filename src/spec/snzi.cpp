// SPDX-License-Identifier: Apache-2.0
// A scalable non-zero indicator: it tells whether anybody is there, not how
// many are [EllenLevLuchangcoMoir07].
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kArrive, kDepart, kQuery };

constexpr Signature kOperations[] = {
    {.name = "arrive"},
    {.name = "depart"},
    {.name = "query",
     .result = Result::kBoolean,
     .reads_only = true,
     .meaning = "is anybody there"},
};

// State: how many arrived and did not depart.  Nobody departs who has not
// arrived: depart blocks at 0.
class Snzi final : public Deterministic<Snzi> {
 public:
  explicit Snzi(const Shape& shape)
      : Deterministic("snzi", kOperations, shape) {}

  State initial() const override { return {Value::integer(0)}; }

  std::optional<Value> result(const State& state, const Call& call) const {
    const bool anybody = state[0].as_integer() > 0;
    if (call.code == kQuery) return Value::boolean(anybody);
    if (call.code == kDepart && !anybody) return std::nullopt;
    return Value();
  }

  void change(State& state, const Call& call, Value) const {
    const std::int64_t count = state[0].as_integer();
    if (call.code == kArrive) state[0] = Value::integer(count + 1);
    if (call.code == kDepart) state[0] = Value::integer(count - 1);
  }

  std::string describe(const State& state) const override {
    return state[0].to_string();
  }
};

}  // namespace

SpecificationPtr make_snzi(const Shape& shape) {
  return std::make_shared<Snzi>(shape);
}

}  // namespace plumb::spec
