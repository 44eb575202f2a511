// SPDX-License-Identifier: Apache-2.0
#include "oracle/definition.h"

#include <vector>

#include "oracle/in_place.h"
#include "oracle/judged.h"
#include "oracle/literal.h"
#include "oracle/transformed.h"

namespace plumb::oracle {
namespace {

// A condition that is not relaxed: some sequence that keeps the order and
// that the object accepts.  Built from left to right, with every outcome that
// the object may have.
struct Plain {
  const Judged& all;
  const spec::Specification& object;
  std::vector<bool> taken;

  bool extend(const spec::State& state) {
    if (is_whole(all, taken)) return true;
    for (std::size_t next = 0; next < all.size(); ++next) {
      if (!may_follow(all, taken, next)) continue;
      const history::Operation& operation = all.operations[next];
      std::vector<spec::Outcome> outcomes;
      object.apply(state, operation.call(), outcomes);
      taken[next] = true;
      for (const spec::Outcome& outcome : outcomes) {
        if (!operation.pending() && outcome.result != operation.result) {
          continue;
        }
        if (extend(outcome.next)) return true;
      }
      taken[next] = false;
    }
    return false;
  }
};

bool holds_relaxed(const Judged& all, const spec::Specification& object,
                   const check::Condition& condition, const Further& further) {
  const Factors factors = factors_of(object, condition);
  if (condition.reading == check::Reading::kLiteral) {
    return holds_literally(all, object, factors);
  }
  return holds_in_place(all, object, factors, condition.closed, further);
}

}  // namespace

bool holds(const Judged& all, const spec::Specification& object,
           const check::Condition& condition, const Further& further) {
  if (condition.transformed()) {
    return holds_transformed(all, object, condition);
  }
  if (condition.factors.empty()) {
    return Plain{all, object, std::vector<bool>(all.size())}.extend(
        object.initial());
  }
  if (!condition.local() || !object.parts_are_objects()) {
    return holds_relaxed(all, object, condition, further);
  }
  // Each key is an object: places are counted among its own operations.
  const auto key = [&](std::size_t i) {
    return object.part(all.operations[i].call());
  };
  for (std::size_t first = 0; first < all.size(); ++first) {
    const Judged part =
        restricted(all, [&](std::size_t i) { return key(i) == key(first); });
    if (!holds_relaxed(part, object, condition, further)) return false;
  }
  return true;
}

bool holds(const history::History& history, const spec::Specification& object,
           const check::Condition& condition, const Further& further) {
  return holds(judged(history, condition.order), object, condition, further);
}

}  // namespace plumb::oracle
