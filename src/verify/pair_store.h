// SPDX-License-Identifier: Apache-2.0
// The pairs (state, set of configurations) that a search has reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/flat_table.h"
#include "explore/shared_store.h"
#include "explore/side_table.h"
#include "explore/tagging.h"

namespace plumb::verify {

using explore::Tag;
using explore::Tagging;

// The first pair of a state has the state's id; further ones have ids from
// kMorePairs on.
using PairId = std::uint32_t;
inline constexpr PairId kNoPair = UINT32_MAX;
inline constexpr PairId kMorePairs = PairId{1} << 31;

// Pairs from `begin` on, in steps of `stride`, before `end`.
struct PairRange {
  PairId begin = 0, end = 0;
  PairId stride = 1;

  std::size_t size() const {
    return begin >= end ? 0 : (end - begin - 1) / stride + 1;
  }
};

// Filled by several threads at once, as explore::SharedStore is.  Of the pairs
// of a state, none is known to be harder than another that came later.
class PairStore {
 public:
  // Takes at most `limit` states.  `cuts`: see lts::System::cuts(); none:
  // states are kept whole.
  PairStore(explore::StateId limit, std::size_t threads,
            std::vector<std::uint32_t> cuts = {});

  // What became of a pair that was reached.
  struct Reached {
    PairId pair = kNoPair;  // if it is new, or took the place of another
    bool is_new_state = false;
    bool is_full = false;                        // there is no more room
    explore::StateId state = explore::kNoState;  // unless it is full
  };
  // Keeps the pair (state, set), reached from `from`, unless one of that state
  // is harder.
  Reached reach(std::size_t thread, lts::StateView state, std::uint64_t hash,
                Tag set, PairId from, Tagging& moves);

  struct Pair {
    explore::StateId state;
    Tag set;
    PairId parent;
  };
  Pair operator[](PairId pair) const;
  static bool is_first(PairId pair) { return pair < kMorePairs; }

  explore::SharedStore& states() { return states_; }
  const explore::SharedStore& states() const { return states_; }

  // What follows needs that no thread adds pairs.

  // The pairs that were added since the last call: in breadth-first order,
  // the next level.  Until the next call, these may still give their place to
  // harder ones.
  std::vector<PairRange> next_level();
  // Those that were added since then so far.
  std::vector<PairRange> added_in_level() const;
  // No pair gives its place to another one from now on.
  void freeze();
  std::size_t size() const;
  // How many there are for which no other one of their state is harder.
  std::size_t hardest(Tagging& moves) const;
  std::size_t bytes() const;

  // For saving and restoring.

  // Further pairs are in stripes, each in the order in which they came.
  static constexpr PairId kStripes = 64;
  std::size_t more_pairs(PairId stripe) const {
    return stripes_[stripe].pairs.size();
  }
  static PairId more_pair(PairId stripe, std::size_t index) {
    return kMorePairs + static_cast<PairId>(index) * kStripes + stripe;
  }
  // From now on, remembers which pairs gave their place to others.
  void keep_replaced() { keeps_replaced_ = true; }
  std::vector<PairId> replaced() const;
  void forget_replaced();

  // All pairs first; kNoPair if there is no room, or the state is there.
  PairId restore_first(lts::StateView state, Tag set);
  PairId restore_more(explore::StateId state, Tag set);
  void restore(PairId pair, Tag set, PairId parent);
  // The level that the restored pairs belong to has begun, and these are
  // those that were added since.
  void restore_level(std::vector<PairRange> added);

 private:
  struct Entry {
    Tag set;
    PairId parent;
  };
  struct More {
    Entry entry;
    explore::StateId state;
    PairId next;
  };
  // What threads share is cut up, so that they seldom meet.
  struct alignas(64) Stripe {
    std::mutex mutex;
    FlatMap<explore::StateId, PairId> heads;
    explore::SideTable<More> pairs;
    std::size_t level_begin = 0;
    std::vector<PairId> replaced;
  };

  Stripe& stripe_of(explore::StateId state) const {
    return stripes_[state / 64 % kStripes];
  }
  Entry first(explore::StateId state) const;
  void set_first(explore::StateId state, const Entry& entry);
  bool may_replace_first(explore::StateId state) const;
  // Of a state that was there already; its stripe is locked.
  Reached reach_again(Stripe& stripe, explore::StateId state,
                      const Entry& entry, Tagging& moves);
  Reached add(Stripe& stripe, explore::StateId state, const Entry& entry,
              PairId next);

  explore::SharedStore states_;
  explore::StoreMark mark_;  // where the level began
  bool is_frozen_ = false;
  mutable std::array<Stripe, kStripes> stripes_;
  std::vector<PairRange> restored_level_;
  bool keeps_replaced_ = false;
};

}  // namespace plumb::verify
