// SPDX-License-Identifier: Apache-2.0
// The pairs (state, set of configurations) that a search has reached.
#pragma once

#include <cstdint>

#include "explore/side_table.h"
#include "explore/state_store.h"
#include "verify/configuration_sets.h"

namespace plumb::verify {

using PairId = std::uint32_t;
inline constexpr PairId kNoPair = UINT32_MAX;

// Pairs are numbered in the order of add().  As long as every state has one
// pair, state ids and pair ids are the same numbers, and a pair costs 8 bytes;
// from the second pair of some state on, lists lead from states to pairs.
class PairTable {
 public:
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const {
    return entries_.bytes() + states_.bytes() + nexts_.bytes() + heads_.bytes();
  }

  SetId set(PairId pair) const { return entries_[pair].set; }
  PairId parent(PairId pair) const { return entries_[pair].parent; }
  explore::StateId state(PairId pair) const {
    return linked_ ? states_[pair] : pair;
  }
  // The first pair of a state that has one, and the next of the same state.
  PairId first(explore::StateId state) const {
    return linked_ ? heads_[state] : state;
  }
  PairId next(PairId pair) const { return linked_ ? nexts_[pair] : kNoPair; }
  // Brings what the first pair of a state needs from memory.
  void prefetch(explore::StateId state) const {
    if (state < entries_.size()) entries_.prefetch(state);
  }

  // Returns kNoPair if there is no more room.  Requires: the first pairs of
  // states are added in the order of their ids.
  PairId add(explore::StateId state, SetId set, PairId parent);
  // Puts another set in the place of that of `pair`.
  void replace(PairId pair, SetId set, PairId parent) {
    entries_[pair] = {set, parent};
  }

 private:
  struct Entry {
    SetId set;
    PairId parent;
  };

  bool link();

  explore::SideTable<Entry> entries_;
  bool linked_ = false;
  explore::SideTable<explore::StateId> states_;  // by pair
  explore::SideTable<PairId> nexts_;             // by pair
  explore::SideTable<PairId> heads_;             // by state
};

}  // namespace plumb::verify
