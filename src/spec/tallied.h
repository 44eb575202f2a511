// SPDX-License-Identifier: Apache-2.0
// What objects have in common that are another one with counts beside it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/specification.h"
#include "spec/tallies.h"

namespace plumb::spec {

class Tallied : public Specification {
 public:
  std::string name() const override { return base_->name(); }
  std::span<const Signature> operations() const override {
    return base_->operations();
  }
  State initial() const override { return with_no_tallies(base_->initial()); }

  bool changes_nothing(const Call& call, Value observed) const override {
    return base_->changes_nothing(call, observed);
  }
  bool may_end(const State& state) const override {
    return base_->may_end(object_in(state));
  }
  bool may_end_with(const State& state,
                    std::span<const Call> pending) const override {
    return base_->may_end_with(object_in(state), pending);
  }
  std::optional<Value> part(const Call& call) const override {
    return parts_are_objects() ? base_->part(call) : std::nullopt;
  }
  bool parts_are_objects() const override { return base_->parts_are_objects(); }
  // Who passes by others is not counted here: that is added upon this.
  bool has_turns(std::uint16_t code) const override {
    return base_->has_turns(code);
  }
  void overtake(const State& state, const Call& call, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    const std::size_t first = outcomes.size();
    base_->overtake(object_in(state), call, furthest, outcomes);
    for (std::size_t i = first; i < outcomes.size(); ++i) {
      outcomes[i].next = with_object(state, outcomes[i].next);
    }
  }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return base_->interchangeable(values);
  }
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    return with_renamed_parts(state, base_->renamed(object_in(state), from, to),
                              from, to);
  }
  std::string describe(const State& state) const override {
    return base_->describe(object_in(state)) +
           describe_tallies(state, *base_, counted_);
  }

 protected:
  // `counted`: what the counts count, for people.
  Tallied(SpecificationPtr base, std::string_view counted)
      : base_(std::move(base)), counted_(counted) {}

  SpecificationPtr base_;

 private:
  std::string_view counted_;
};

}  // namespace plumb::spec
