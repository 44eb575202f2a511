// SPDX-License-Identifier: Apache-2.0
// Sets of numbers, interned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verify/members.h"
#include "verify/word_lists.h"

namespace plumb::verify {

using SetId = std::uint32_t;
inline constexpr SetId kEmptySet = 0;

class ConfigurationSets {
 public:
  ConfigurationSets();

  std::size_t size() const { return lists_.size(); }
  // Sorts `members` and drops repetitions.
  SetId intern(MemberList& members);
  // Sorted.  Valid until the next call of intern().
  std::span<const MemberId> operator[](SetId id) const { return lists_[id]; }
  bool is_subset(SetId part, SetId whole) const;

 private:
  WordLists lists_;
};

}  // namespace plumb::verify
