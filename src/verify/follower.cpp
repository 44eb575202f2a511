// SPDX-License-Identifier: Apache-2.0
#include "verify/follower.h"

namespace plumb::verify {

SetId Follower::canonical(SetId set, const lts::Canonical& how) {
  const std::array<std::uint64_t, 3> key = {
      how.renaming.processes.word(), how.renaming.values.word(),
      std::uint64_t{how.twins} << 8 | how.used_values};
  const auto next = static_cast<ClassId>(hows_.size());
  const ClassId number = hows_.try_emplace(key, next).first->second;
  const SetId known = renamings_.find(set, number);
  if (known != MoveCache::kUnknown) return known;
  const SetId renamed = moves_.renamed(set, how.renaming);
  const SetId result = moves_.settled(renamed, how.twins, how.used_values).set;
  renamings_.add(set, number, result);
  return result;
}

}  // namespace plumb::verify
