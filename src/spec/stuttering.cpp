// SPDX-License-Identifier: Apache-2.0
//
// State: that of the base object and, for each operation that may stutter, how
// often in a row it has.
#include "spec/stuttering.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "spec/tallies.h"

namespace plumb::spec {
namespace {

class Stuttering final : public Specification {
 public:
  Stuttering(SpecificationPtr base, std::vector<std::uint32_t> times)
      : base_(std::move(base)), times_(std::move(times)) {}

  std::string name() const override { return base_->name(); }
  std::span<const Signature> operations() const override {
    return base_->operations();
  }
  State initial() const override { return with_no_tallies(base_->initial()); }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override;
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override;

  bool changes_nothing(const Call& call, Value observed) const override {
    return base_->changes_nothing(call, observed);
  }
  bool may_end(const State& state) const override {
    return base_->may_end(object_in(state));
  }
  std::optional<Value> part(const Call& call) const override {
    return parts_are_objects() ? base_->part(call) : std::nullopt;
  }
  bool parts_are_objects() const override { return base_->parts_are_objects(); }
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
           describe_tallies(state, *base_, "stuttered");
  }

 private:
  // Appends `state` after a call that would make `changed` of its `object`.
  void append(const State& state, const Call& call, const State& object,
              const State& changed, std::vector<State>& next) const;

  SpecificationPtr base_;
  std::vector<std::uint32_t> times_;
};

void Stuttering::append(const State& state, const Call& call,
                        const State& object, const State& changed,
                        std::vector<State>& next) const {
  const std::uint32_t most = times_[call.code];
  if (most == 0 || changed == object) {
    next.push_back(with_object(state, changed));
    return;
  }
  const Value part = part_counted(*base_, call);
  next.push_back(with_tally(state, call.code, part, 0, changed));
  const std::uint32_t row = tally_in(state, call.code, part);
  if (row >= most) return;
  State stutter = with_tally(state, call.code, part, row + 1, object);
  if (std::find(next.begin(), next.end(), stutter) == next.end()) {
    next.push_back(std::move(stutter));
  }
}

void Stuttering::apply(const State& state, const Call& call,
                       std::vector<Outcome>& outcomes) const {
  const State object = object_in(state);
  std::vector<Outcome> changes;
  base_->apply(object, call, changes);
  for (const Outcome& change : changes) {
    std::vector<State> next;
    append(state, call, object, change.next, next);
    for (State& after : next) {
      outcomes.push_back({change.result, std::move(after)});
    }
  }
}

void Stuttering::step(const State& state, const Call& call,
                      std::optional<Value> observed,
                      std::vector<State>& next) const {
  const State object = object_in(state);
  std::vector<State> changes;
  base_->step(object, call, observed, changes);
  for (const State& changed : changes) {
    append(state, call, object, changed, next);
  }
}

}  // namespace

SpecificationPtr allow_stuttering(SpecificationPtr base,
                                  std::vector<std::uint32_t> times) {
  assert(times.size() == base->operations().size());
  return std::make_shared<Stuttering>(std::move(base), std::move(times));
}

}  // namespace plumb::spec
