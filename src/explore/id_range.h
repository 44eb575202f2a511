// SPDX-License-Identifier: Apache-2.0
// Numbers of states, and ranges of them.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::explore {

using StateId = std::uint32_t;
inline constexpr StateId kNoState = UINT32_MAX;

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
