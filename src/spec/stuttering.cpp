// SPDX-License-Identifier: Apache-2.0
//
// State: that of the base object and, for each operation that may stutter, how
// often in a row it has.
#include "spec/stuttering.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "spec/tallied.h"

namespace plumb::spec {
namespace {

class Stuttering final : public Tallied {
 public:
  Stuttering(SpecificationPtr base, std::vector<std::uint32_t> times)
      : Tallied(std::move(base), "stuttered"), times_(std::move(times)) {}

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override;
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override;

 private:
  // Appends `state` after a call that would make `changed` of its `object`.
  void append(const State& state, const Call& call, const State& object,
              const State& changed, std::vector<State>& next) const;

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
  // Of a relaxed object: a result that it can give and still hold.
  if (row >= most || !base_->may_end(changed)) return;
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
  PLUMB_CHECK(times.size() == base->operations().size());
  return std::make_shared<Stuttering>(std::move(base), std::move(times));
}

}  // namespace plumb::spec
