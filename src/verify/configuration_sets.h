// SPDX-License-Identifier: Apache-2.0
// Sets of numbers, interned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers.h"
#include "explore/tagging.h"
#include "verify/members.h"

namespace plumb::verify {

using SetId = explore::Tag;
inline constexpr SetId kEmptySet = explore::kFailed;

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
  SetId single(MemberId member);

  WordLists lists_;
  std::vector<SetId> singles_;  // by member: the set of it alone; 0: not yet
};

}  // namespace plumb::verify
