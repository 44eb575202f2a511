// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "spec/relax.h"
#include "spec/relax_holes.h"
#include "spec/relax_liveness.h"
#include "spec/relax_parts.h"
#include "spec/relax_results.h"
#include "spec/relaxed.h"

namespace plumb::spec {

namespace {

Relaxation open(Relaxation relaxation) {
  relaxation.closed = false;
  return relaxation;
}

class RelaxedForModels final : public Relaxed {
 public:
  RelaxedForModels(SpecificationPtr base, Relaxation relaxation)
      : Relaxed(*base, open(std::move(relaxation))),
        base_(std::move(base)),
        holes_(Holes::of(*base_, classes())),
        by_any_(*base_, classes(), this->relaxation(), Payment::By::kAny),
        hopes_(*base_, by_any_, this->relaxation().budget) {
    std::vector<bool> relaxed;
    for (std::uint16_t code = 0; code < operations().size(); ++code) {
      relaxed.push_back(classes().relaxes(code));
    }
    results_ = possible_results(*base_, this->relaxation(), relaxed);
  }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    if (!classes().relaxes(call.code)) {
      return apply_in_place(state, call, outcomes);
    }
    std::vector<State> next;
    for (const Value result : results_[call.code]) {
      next.clear();
      step(state, call, result, next);
      for (State& after : next) outcomes.push_back({result, std::move(after)});
    }
  }

  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override {
    // All results are known here, so that no debt need be without one.
    if (!observed) return Specification::step(state, call, observed, next);
    if (is_too_large(call, *observed)) return;
    const auto first = static_cast<std::ptrdiff_t>(next.size());
    Relaxed::step(state, call, observed, next);
    const auto dead = [&](State& after) { return !settle(after); };
    next.erase(std::remove_if(next.begin() + first, next.end(), dead),
               next.end());
  }

 private:
  // A number that apply() does not give either.
  bool is_too_large(const Call& call, Value result) const {
    const auto largest = relaxation().largest_number;
    return largest && classes().relaxes(call.code) &&
           operations()[call.code].result == Result::kInteger &&
           result.is_integer() && result.as_integer() > *largest;
  }

  void apply_in_place(const State& state, const Call& call,
                      std::vector<Outcome>& outcomes) const {
    Unpacked unpacked = unpack(state);
    std::vector<Outcome> direct;
    base_->apply(unpacked.base, call, direct);
    for (Outcome& outcome : direct) {
      unpacked.base = std::move(outcome.next);
      State after = pack(unpacked);
      if (settle(after)) outcomes.push_back({outcome.result, std::move(after)});
    }
  }

  // Brings a state to the form in which it is kept; false if it is dead.
  bool settle(State& state) const {
    if (debts_of(state) == 0) return true;
    Unpacked unpacked = unpack(state);
    if (holes_) {
      if (!holes_->make(unpacked)) return false;
      state = pack(unpacked);
    }
    return hopes_.alive({std::move(unpacked.base), std::move(unpacked.late)},
                        {});
  }

  SpecificationPtr base_;
  std::optional<Holes> holes_;
  Payment by_any_;
  mutable Liveness hopes_;                   // whatever happens
  std::vector<std::vector<Value>> results_;  // by code, of relaxed ones
};

}  // namespace

SpecificationPtr relax_for_models(SpecificationPtr base,
                                  Relaxation relaxation) {
  if (base->parts_are_objects()) {
    return relax_parts(base, relaxation, [&](Relaxation own) {
      return std::make_shared<RelaxedForModels>(base, std::move(own));
    });
  }
  return std::make_shared<RelaxedForModels>(std::move(base),
                                            std::move(relaxation));
}

}  // namespace plumb::spec
