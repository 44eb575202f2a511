// SPDX-License-Identifier: Apache-2.0
#include "verify/follower.h"

namespace plumb::verify {

SetId Follower::canonical(SetId set, const lts::Canonical& how) {
  const ClassId number =
      hows_.number({how.renaming.processes.word(), how.renaming.values.word(),
                    std::uint64_t{how.twins} << 8 | how.used_values});
  const SetId known = renamings_.find(set, number);
  if (known != MoveCache::kUnknown) return known;
  const SetId result = moves_.canonical(set, how).set;
  renamings_.add(set, number, result);
  return result;
}

}  // namespace plumb::verify
