// SPDX-License-Identifier: Apache-2.0
#include "verify/word_lists.h"

#include <absl/hash/hash.h>

#include <algorithm>

namespace plumb::verify {

std::size_t WordLists::Hash::operator()(Words words) const {
  return absl::HashOf(absl::MakeConstSpan(words.data(), words.size()));
}

bool WordLists::Equal::operator()(Id a, Words b) const {
  return std::ranges::equal((*owner)[a], b);
}

WordLists::Id WordLists::intern(Words words) {
  const auto found = index_.find(words);
  if (found != index_.end()) return *found;
  const Id id = add(words);
  index_.insert(id);
  return id;
}

}  // namespace plumb::verify
