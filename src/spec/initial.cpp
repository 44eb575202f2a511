// SPDX-License-Identifier: Apache-2.0
#include "spec/initial.h"

#include <fmt/format.h>

#include <array>

#include "base/input_error.h"
#include "base/map_value.h"
#include "spec/forwarding.h"

namespace plumb::spec {
namespace {

class Begun final : public Forwarding {
 public:
  Begun(SpecificationPtr object, State initial, std::string name)
      : Forwarding(std::move(object)),
        initial_(std::move(initial)),
        name_(std::move(name)) {}

  std::string name() const override { return name_; }
  State initial() const override { return initial_; }

  // What it holds from the beginning has a place of its own.
  std::vector<Value> interchangeable(std::span<const Value>) const override {
    return {};
  }

 private:
  State initial_;
  std::string name_;
};

class WithUnknownResults final : public Forwarding {
 public:
  using Forwarding::Forwarding;

  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override {
    if (observed == unknown_result()) observed.reset();
    object_->step(state, call, observed, next);
  }
  bool changes_nothing(const Call& call, Value observed) const override {
    return observed == unknown_result()
               ? operations()[call.code].reads_only
               : Forwarding::changes_nothing(call, observed);
  }
};

}  // namespace

SpecificationPtr begun_with(SpecificationPtr object, std::string_view put,
                            std::span<const Value> arguments,
                            std::string name) {
  const std::uint16_t code = *find_operation(*object, put);
  State state = object->initial();
  for (const Value argument : arguments) {
    std::vector<Outcome> outcomes;
    object->apply(state, {code, argument}, outcomes);
    if (outcomes.size() != 1 || outcomes[0].result == Value::boolean(false)) {
      throw InputError(fmt::format("'{}' cannot begin with {}", object->name(),
                                   argument.to_string()));
    }
    state = std::move(outcomes[0].next);
  }
  return std::make_shared<Begun>(std::move(object), std::move(state),
                                 std::move(name));
}

bool is_begun(const Specification& object) {
  return dynamic_cast<const Begun*>(&object) != nullptr;
}

// A key without a value: no map of an input.
Value unknown_result() {
  return map_of(std::array{Value()});
}

SpecificationPtr with_unknown_results(SpecificationPtr object) {
  return std::make_shared<WithUnknownResults>(std::move(object));
}

}  // namespace plumb::spec
