// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_holes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "spec/relax_liveness.h"

namespace plumb::spec {

namespace {

// No value of a model is a text.
Value taken() {
  static const Value kTaken = Value::text("taken");
  return kTaken;
}

}  // namespace

std::optional<Holes> Holes::of(const Specification& base,
                               const Classes& classes) {
  if (built_in_name(base) != "queue") return std::nullopt;
  const std::uint16_t deq = find_operation(base, "deq").value();
  const ClassIndex one = classes.whole(deq);
  if (one == Classes::kNone || classes.codes(one).size() > 1) {
    return std::nullopt;
  }
  return Holes(deq, classes.factor(one));
}

bool Holes::make(Unpacked& state) const {
  std::vector<Debt*> late;
  for (Debt& debt : state.late) {
    if (debt.code == deq_) late.push_back(&debt);
  }
  std::ranges::stable_sort(late, std::greater<>(), &Debt::age);
  std::vector<Debt*> in_holes;
  for (Debt* debt : late) {
    if (debt->result != taken()) {
      const auto item = std::ranges::find(state.base, debt->result);
      if (item == state.base.end()) continue;
      const auto before = static_cast<std::size_t>(item - state.base.begin());
      if (debt->age + before > factor_) return false;
      *item = taken();
      debt->result = taken();
    }
    in_holes.push_back(debt);
  }
  // As old as it can be if it is to be in time, so the first one the oldest.
  std::size_t next = 0;
  for (std::size_t i = 0; i < state.base.size(); ++i) {
    if (state.base[i] != taken()) continue;
    in_holes[next++]->age = factor_ - static_cast<std::uint32_t>(i);
  }
  return true;
}

}  // namespace plumb::spec
