// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/invariant.h"
#include "spec/relaxed.h"

namespace plumb::spec {

namespace {

// State: for each part, in the order of `parts_`, the size of its state and
// that state.
class RelaxedParts final : public Specification {
 public:
  struct Part {
    Value key;
    SpecificationPtr object;
  };

  RelaxedParts(SpecificationPtr base, SpecificationPtr whole,
               std::vector<Part> parts)
      : base_(std::move(base)),
        whole_(std::move(whole)),
        parts_(std::move(parts)) {}

  std::string name() const override { return base_->name(); }
  std::span<const Signature> operations() const override {
    return whole_->operations();
  }

  State initial() const override {
    State state;
    for (const Part& part : parts_) append(part.object->initial(), state);
    return state;
  }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    const std::size_t index = index_of(*base_->part(call));
    const std::size_t before = outcomes.size();
    std::vector<State> states = split(state);
    parts_[index].object->apply(states[index], call, outcomes);
    for (std::size_t i = before; i < outcomes.size(); ++i) {
      states[index] = std::move(outcomes[i].next);
      outcomes[i].next = joined(states);
    }
  }

  // Results of histories are given, and need not be among those of apply().
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override {
    const std::size_t index = index_of(*base_->part(call));
    std::vector<State> states = split(state);
    std::vector<State> after;
    parts_[index].object->step(states[index], call, observed, after);
    for (State& one : after) {
      states[index] = std::move(one);
      next.push_back(joined(states));
    }
  }

  bool changes_nothing(const Call& call, Value observed) const override {
    return whole_->changes_nothing(call, observed);
  }
  bool may_end(const State& state) const override {
    const std::vector<State> states = split(state);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].object->may_end(states[i])) return false;
    }
    return true;
  }
  bool may_end_with(const State& state,
                    std::span<const Call> pending) const override {
    const std::vector<State> states = split(state);
    std::vector<std::vector<Call>> own(parts_.size());
    for (const Call& call : pending) {
      own[index_of(*base_->part(call))].push_back(call);
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].object->may_end_with(states[i], own[i])) return false;
    }
    return true;
  }
  std::optional<Value> part(const Call& call) const override {
    return base_->part(call);
  }
  bool parts_are_objects() const override { return true; }

  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return whole_->interchangeable(values);
  }
  // Keys are renamed as well: the state of one part becomes that of another.
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    const std::vector<State> states = split(state);
    std::vector<State> made(states.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t other =
          index_of(spec::renamed(parts_[i].key, from, to));
      made[other] = parts_[i].object->renamed(states[i], from, to);
    }
    return joined(made);
  }

  std::string describe(const State& state) const override {
    const std::vector<State> states = split(state);
    std::string text;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Specification& object = *parts_[i].object;
      if (states[i] == object.initial()) continue;
      if (!text.empty()) text += " | ";
      text += object.describe(states[i]);
    }
    return text.empty() ? "{}" : text;
  }

 private:
  static void append(const State& part, State& whole) {
    whole.push_back(Value::integer(static_cast<std::int64_t>(part.size())));
    whole.insert(whole.end(), part.begin(), part.end());
  }

  static State joined(const std::vector<State>& states) {
    State whole;
    for (const State& one : states) append(one, whole);
    return whole;
  }

  std::vector<State> split(const State& state) const {
    std::vector<State> states;
    for (std::size_t at = 0; at < state.size();) {
      const auto size = static_cast<std::size_t>(state[at].as_integer());
      states.emplace_back(state.data() + at + 1, state.data() + at + 1 + size);
      at += 1 + size;
    }
    return states;
  }

  std::size_t index_of(Value key) const {
    const auto found = std::ranges::find(parts_, key, &Part::key);
    PLUMB_CHECK(found != parts_.end());
    return static_cast<std::size_t>(found - parts_.begin());
  }

  SpecificationPtr base_;
  SpecificationPtr whole_;  // relaxed without regard to parts
  std::vector<Part> parts_;
};

}  // namespace

SpecificationPtr relax_parts(
    SpecificationPtr base, const Relaxation& relaxation,
    const std::function<SpecificationPtr(Relaxation)>& relax_one) {
  std::vector<Value> keys;
  const auto for_each_call = [&](const auto& use) {
    for (std::uint16_t code = 0; code < relaxation.arguments.size(); ++code) {
      for (const Value argument : relaxation.arguments[code]) {
        use(code, argument, *base->part({code, argument}));
      }
    }
  };
  for_each_call([&](std::uint16_t, Value, Value key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  });
  std::vector<RelaxedParts::Part> parts;
  for (const Value key : keys) {
    Relaxation own = relaxation;
    for (auto& arguments : own.arguments) arguments.clear();
    for_each_call([&](std::uint16_t code, Value argument, Value concerned) {
      if (concerned == key) own.arguments[code].push_back(argument);
    });
    parts.push_back({key, relax_one(std::move(own))});
  }
  SpecificationPtr whole = std::make_shared<Relaxed>(*base, relaxation);
  return std::make_shared<RelaxedParts>(std::move(base), std::move(whole),
                                        std::move(parts));
}

}  // namespace plumb::spec
