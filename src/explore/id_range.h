// SPDX-License-Identifier: Apache-2.0
// States that were added to a store one after the other.
#pragma once

#include <vector>

#include "explore/state_store.h"

namespace plumb::explore {

// States from `begin` on, before `end`.
struct IdRange {
  StateId begin, end;
  friend bool operator==(const IdRange&, const IdRange&) = default;
};

// What was in a store at some moment; see SharedStore::added_since().
struct StoreMark {
  StateId end = 0;
  std::vector<IdRange> unused;  // below `end`
};

}  // namespace plumb::explore
