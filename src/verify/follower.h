// SPDX-License-Identifier: Apache-2.0
// Remembers, for one thread, how the specification machine moves.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "lts/symmetry.h"
#include "verify/label_classes.h"
#include "verify/move_cache.h"
#include "verify/set_moves.h"

namespace plumb::verify {

class Follower {
 public:
  // Of labels that leave every set as it is.
  static constexpr ClassId kStill = UINT32_MAX;

  // `moves` must last.
  explicit Follower(SetMoves& moves) : moves_(moves) {}

  // SetMoves::after() in parts: number() for all steps of a state, then
  // prefetch() for all, then after().
  ClassId number(const lts::Label& label) {
    const auto point = moves_.point(label);
    return point ? classes_.number(label, *point) : kStill;
  }
  void prefetch(SetId set, ClassId number) const {
    if (number != kStill) steps_.prefetch(set, number);
  }
  SetId after(SetId set, const lts::Label& label, ClassId number) {
    if (number == kStill) return set;
    const SetId known = steps_.find(set, number);
    if (known != MoveCache::kUnknown) return known;
    const SetId next = moves_.after(set, label);
    steps_.add(set, number, next);
    return next;
  }

  // What becomes of the set of a state when the state is brought to its
  // canonical form.
  SetId canonical(SetId set, const lts::Canonical& how);

 private:
  SetMoves& moves_;
  LabelClasses classes_;
  MoveCache steps_;
  MoveCache renamings_;
  absl::flat_hash_map<std::array<std::uint64_t, 3>, ClassId> hows_;
};

}  // namespace plumb::verify
