// SPDX-License-Identifier: Apache-2.0
#include "assertions/pairs.h"

namespace plumb::assertions {

Pairs::Added Pairs::add(explore::StateId state, SetId set, PairId parent) {
  while (heads_.size() <= state) {
    if (!heads_.push_back(kNone)) return Added::kNoRoom;
  }
  for (PairId at = heads_[state]; at != kNone; at = next_[at]) {
    if (sets_.is_subset(pairs_[at].set, set)) return Added::kCovered;
  }
  PairId* link = &heads_[state];
  while (*link != kNone) {
    if (sets_.is_subset(set, pairs_[*link].set)) {
      if (*link >= first_to_drop_) dropped_[*link] = true;
      ++covered_;
      *link = next_[*link];
    } else {
      link = &next_[*link];
    }
  }
  const auto pair = static_cast<PairId>(pairs_.size());
  if (pair == kNone || !pairs_.push_back({state, set}) ||
      !parents_.push_back(parent) || !next_.push_back(heads_[state]) ||
      !dropped_.push_back(false)) {
    return Added::kNoRoom;
  }
  heads_[state] = pair;
  return Added::kNew;
}

}  // namespace plumb::assertions
