// SPDX-License-Identifier: Apache-2.0
// A specification that is another one, but for what is overridden.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "spec/specification.h"

namespace plumb::spec {

class Forwarding : public Specification {
 public:
  explicit Forwarding(SpecificationPtr object) : object_(std::move(object)) {}

  std::string name() const override { return object_->name(); }
  std::span<const Signature> operations() const override {
    return object_->operations();
  }
  State initial() const override { return object_->initial(); }
  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    object_->apply(state, call, outcomes);
  }
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override {
    object_->step(state, call, observed, next);
  }
  bool changes_nothing(const Call& call, Value observed) const override {
    return object_->changes_nothing(call, observed);
  }
  bool takes_any_value() const override { return object_->takes_any_value(); }
  bool may_end(const State& state) const override {
    return object_->may_end(state);
  }
  bool may_end_with(const State& state,
                    std::span<const Call> pending) const override {
    return object_->may_end_with(state, pending);
  }
  std::optional<Value> part(const Call& call) const override {
    return object_->part(call);
  }
  bool parts_are_objects() const override {
    return object_->parts_are_objects();
  }
  bool has_turns(std::uint16_t code) const override {
    return object_->has_turns(code);
  }
  void overtake(const State& state, const Call& call, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    object_->overtake(state, call, furthest, outcomes);
  }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return object_->interchangeable(values);
  }
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    return object_->renamed(state, from, to);
  }
  std::string describe(const State& state) const override {
    return object_->describe(state);
  }

 protected:
  const SpecificationPtr object_;
};

}  // namespace plumb::spec
