// SPDX-License-Identifier: Apache-2.0
// Sets of configurations, interned.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <span>
#include <vector>

#include "verify/configurations.h"

namespace plumb::verify {

using SetId = std::uint32_t;
inline constexpr SetId kEmptySet = 0;

class ConfigurationSets {
 public:
  ConfigurationSets();
  ConfigurationSets(const ConfigurationSets&) = delete;

  std::size_t size() const { return ends_.size(); }
  // Sorts `members` and drops repetitions.
  SetId intern(ConfigurationList& members);
  // Sorted.  Valid until the next call of intern().
  std::span<const ConfigurationId> operator[](SetId id) const {
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return {members_.data() + begin, ends_[id] - begin};
  }
  bool is_subset(SetId part, SetId whole) const;

 private:
  using Members = std::span<const ConfigurationId>;
  struct Hash {
    using is_transparent = void;
    const ConfigurationSets* owner;
    std::size_t operator()(Members members) const;
    std::size_t operator()(SetId id) const { return (*this)((*owner)[id]); }
  };
  struct Equal {
    using is_transparent = void;
    const ConfigurationSets* owner;
    bool operator()(SetId a, SetId b) const { return a == b; }
    bool operator()(SetId a, Members b) const;
    bool operator()(Members a, SetId b) const { return (*this)(b, a); }
  };

  std::vector<ConfigurationId> members_;  // of one set after the other
  std::vector<std::size_t> ends_;         // by set, in members_
  absl::flat_hash_set<SetId, Hash, Equal> index_;
};

}  // namespace plumb::verify
