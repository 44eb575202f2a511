// SPDX-License-Identifier: Apache-2.0
#include "verify/configuration_sets.h"

#include <algorithm>

namespace plumb::verify {

ConfigurationSets::ConfigurationSets() {
  MemberList none;
  intern(none);  // kEmptySet
}

// Most sets have one member: that says which, and nothing is to be looked for.
SetId ConfigurationSets::single(MemberId member) {
  if (member >= singles_.size()) {
    singles_.resize(std::max<std::size_t>(member + 1, 2 * singles_.size()));
  }
  SetId& set = singles_[member];
  if (set == kEmptySet) set = lists_.add({&member, 1});
  return set;
}

SetId ConfigurationSets::intern(MemberList& members) {
  if (members.size() == 1) return single(members[0]);
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (members.size() == 1) return single(members[0]);
  return lists_.intern(members);
}

bool ConfigurationSets::is_subset(SetId part, SetId whole) const {
  return std::ranges::includes((*this)[whole], (*this)[part]);
}

}  // namespace plumb::verify
