// SPDX-License-Identifier: Apache-2.0
//
// State: that of the base object and, for each operation that is late by a
// bounded number, how many takes in a row have passed by.
#include "spec/overtaking.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "spec/tallied.h"

namespace plumb::spec {
namespace {

class Overtaken final : public Tallied {
 public:
  Overtaken(SpecificationPtr base, Overtaking overtaking)
      : Tallied(std::move(base), "passed by"),
        overtaking_(std::move(overtaking)) {}

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override;
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override;

 private:
  bool relaxed(std::uint16_t code) const {
    return overtaking_.furthest[code] > 0 && overtaking_.in_a_row[code] > 0;
  }
  bool counted(std::uint16_t code) const {
    return relaxed(code) &&
           overtaking_.in_a_row[code] != Overtaking::kUnbounded;
  }
  void append_overtakes(const State& state, const Call& call,
                        const State& object,
                        std::vector<Outcome>& outcomes) const;

  Overtaking overtaking_;
};

void Overtaken::apply(const State& state, const Call& call,
                      std::vector<Outcome>& outcomes) const {
  const State object = object_in(state);
  const std::size_t first = outcomes.size();
  base_->apply(object, call, outcomes);
  for (std::size_t i = first; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    const bool ends_row = counted(call.code) && !outcome.result.is_null();
    outcome.next = ends_row
                       ? with_tally(state, call.code,
                                    part_counted(*base_, call), 0, outcome.next)
                       : with_object(state, outcome.next);
  }
  if (relaxed(call.code)) append_overtakes(state, call, object, outcomes);
}

// What the item whose turn it is leads to as well is left out: the row that
// it ends can only be longer otherwise.
void Overtaken::append_overtakes(const State& state, const Call& call,
                                 const State& object,
                                 std::vector<Outcome>& outcomes) const {
  const Value part = part_counted(*base_, call);
  const std::uint32_t before = tally_in(state, call.code, part);
  if (before >= overtaking_.in_a_row[call.code]) return;
  const std::uint32_t after = counted(call.code) ? before + 1 : 0;
  std::vector<Outcome> overtakes;
  base_->overtake(object, call, overtaking_.furthest[call.code], overtakes);
  for (Outcome& outcome : overtakes) {
    outcome.next = with_tally(state, call.code, part, after, outcome.next);
    outcomes.push_back(std::move(outcome));
  }
}

void Overtaken::step(const State& state, const Call& call,
                     std::optional<Value> observed,
                     std::vector<State>& next) const {
  if (relaxed(call.code)) {
    return Specification::step(state, call, observed, next);
  }
  const std::size_t first = next.size();
  base_->step(object_in(state), call, observed, next);
  for (std::size_t i = first; i < next.size(); ++i) {
    next[i] = with_object(state, next[i]);
  }
}

}  // namespace

SpecificationPtr allow_overtaking(SpecificationPtr base,
                                  Overtaking overtaking) {
  PLUMB_CHECK(overtaking.furthest.size() == base->operations().size());
  PLUMB_CHECK(overtaking.in_a_row.size() == base->operations().size());
  return std::make_shared<Overtaken>(std::move(base), std::move(overtaking));
}

}  // namespace plumb::spec
