// SPDX-License-Identifier: Apache-2.0
// The transitions of one state, ready to be looked up in a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/state_store.h"
#include "lts/system.h"

namespace plumb::explore {

struct Expansion {
  StateId state = 0;
  lts::Successors successors;
  std::vector<std::uint64_t> hashes;
  // Of searches with a log: where transitions lead, kNoState if that is not
  // known yet or they are faults.  Of others: empty.
  std::vector<StateId> targets;
  bool is_logged = false;  // it was read, and need not be written any more

  // All but `state`, from the system.
  void find(const lts::System& system, lts::StateView bytes) {
    system.successors(bytes, successors);
    const std::size_t count = successors.size();
    hashes.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = StateStore::hash(successors.state(i));
    }
    targets.clear();
    is_logged = false;
  }
  StateId target(std::size_t i) const {
    return targets.empty() ? kNoState : targets[i];
  }
  void set_target(std::size_t i, StateId to) {
    if (!targets.empty()) targets[i] = to;
  }
};

}  // namespace plumb::explore
