// SPDX-License-Identifier: Apache-2.0
// Pairs of a state and a set, without those that another one stands for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assertions/specification_sets.h"
#include "explore/side_table.h"
#include "explore/state_store.h"

namespace plumb::assertions {

using PairId = std::uint32_t;

// The sets of each state are an antichain [DeWulfEtAl06]: of two sets with the
// same state, the smaller one allows less, so that the larger one shows nothing
// that the smaller one does not.  In order of time, and nothing moves.
class Pairs {
 public:
  static constexpr PairId kNone = UINT32_MAX;

  struct Pair {
    explore::StateId state;
    SetId set;
  };

  explicit Pairs(const SpecificationSets& sets) : sets_(sets) {}

  // Pairs before this one are dropped no more: they were found by fewer steps,
  // and what they show may be shown by a shorter path.
  void keep_before(PairId pair) { first_to_drop_ = pair; }

  enum class Added : std::uint8_t { kNew, kCovered, kNoRoom };
  // Drops the pairs that the new one stands for.
  Added add(explore::StateId state, SetId set, PairId parent);

  const Pair& operator[](PairId pair) const { return pairs_[pair]; }
  PairId parent(PairId pair) const { return parents_[pair]; }
  bool is_dropped(PairId pair) const { return dropped_[pair]; }
  std::size_t size() const { return pairs_.size(); }  // dropped ones too
  // How many no other one stands for.
  std::size_t kept() const { return pairs_.size() - covered_; }
  std::size_t bytes() const {
    return pairs_.bytes() + parents_.bytes() + next_.bytes() +
           dropped_.bytes() + heads_.bytes();
  }

 private:
  const SpecificationSets& sets_;
  explore::SideTable<Pair> pairs_;
  explore::SideTable<PairId> parents_;
  explore::SideTable<PairId> next_;  // of the same state
  explore::SideTable<bool> dropped_;
  explore::SideTable<PairId> heads_;  // by state
  std::size_t covered_ = 0;
  PairId first_to_drop_ = 0;
};

}  // namespace plumb::assertions
