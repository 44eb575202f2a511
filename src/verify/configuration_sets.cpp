// SPDX-License-Identifier: Apache-2.0
#include "verify/configuration_sets.h"

#include <algorithm>

namespace plumb::verify {

ConfigurationSets::ConfigurationSets() {
  MemberList none;
  intern(none);  // kEmptySet
}

SetId ConfigurationSets::intern(MemberList& members) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return lists_.intern(members);
}

bool ConfigurationSets::is_subset(SetId part, SetId whole) const {
  return std::ranges::includes((*this)[whole], (*this)[part]);
}

}  // namespace plumb::verify
