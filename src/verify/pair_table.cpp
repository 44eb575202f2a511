// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_table.h"

namespace plumb::verify {

PairId PairTable::add(explore::StateId state, SetId set, PairId parent) {
  const auto id = static_cast<PairId>(entries_.size());
  if (id == kNoPair) return kNoPair;
  if (!linked_ && state != id && !link()) return kNoPair;
  if (!entries_.push_back({set, parent})) return kNoPair;
  if (!linked_) return id;
  if (!states_.push_back(state)) return kNoPair;
  if (state == heads_.size()) {
    return nexts_.push_back(kNoPair) && heads_.push_back(id) ? id : kNoPair;
  }
  if (!nexts_.push_back(heads_[state])) return kNoPair;
  heads_[state] = id;
  return id;
}

// Writes down what was the same number so far.
bool PairTable::link() {
  linked_ = true;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    if (!states_.push_back(id) || !nexts_.push_back(kNoPair) ||
        !heads_.push_back(id)) {
      return false;
    }
  }
  return true;
}

}  // namespace plumb::verify
