// SPDX-License-Identifier: Apache-2.0
// A lock.  It has no owner: any process may release it.
#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kAcquire, kRelease };

constexpr Signature kOperations[] = {
    {.name = "acquire"},
    {.name = "release"},
};

// State: is it held?
class Mutex final : public Deterministic<Mutex> {
 public:
  explicit Mutex(const Shape& shape)
      : Deterministic("mutex", kOperations, shape) {}

  State initial() const override { return {Value::boolean(false)}; }

  std::optional<Value> result(const State& state, const Call& call) const {
    const bool held = state[0].is_true();
    const bool blocks = call.code == kAcquire ? held : !held;
    return blocks ? std::nullopt : std::optional(Value());
  }

  void change(State& state, const Call& call, Value) const {
    state[0] = Value::boolean(call.code == kAcquire);
  }

  std::string describe(const State& state) const override {
    return state[0].is_true() ? "held" : "free";
  }
};

}  // namespace

SpecificationPtr make_mutex(const Shape& shape) {
  return std::make_shared<Mutex>(shape);
}

}  // namespace plumb::spec
