// SPDX-License-Identifier: Apache-2.0
#include "verify/configuration_sets.h"

#include <absl/hash/hash.h>

#include <algorithm>

namespace plumb::verify {

std::size_t ConfigurationSets::Hash::operator()(Members members) const {
  return absl::HashOf(absl::MakeConstSpan(members.data(), members.size()));
}

bool ConfigurationSets::Equal::operator()(SetId a, Members b) const {
  return std::ranges::equal((*owner)[a], b);
}

ConfigurationSets::ConfigurationSets() : index_(0, Hash{this}, Equal{this}) {
  ConfigurationList none;
  intern(none);  // kEmptySet
}

SetId ConfigurationSets::intern(ConfigurationList& members) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const auto found = index_.find(Members(members));
  if (found != index_.end()) return *found;
  const auto id = static_cast<SetId>(ends_.size());
  members_.insert(members_.end(), members.begin(), members.end());
  ends_.push_back(members_.size());
  index_.insert(id);
  return id;
}

bool ConfigurationSets::is_subset(SetId part, SetId whole) const {
  return std::ranges::includes((*this)[whole], (*this)[part]);
}

}  // namespace plumb::verify
