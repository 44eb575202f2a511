// SPDX-License-Identifier: Apache-2.0
#include "verify/follower.h"

namespace plumb::verify {

Tag Follower::canonical(Tag set, const lts::Canonical& how) {
  if (moves_.is_settled(how)) return set;
  const ClassId number =
      hows_.number({how.renaming.processes.word(), how.renaming.values.word(),
                    std::uint64_t{how.twins} << 8 | how.used_values});
  const Tag known = renamings_.find(set, number);
  if (known != MoveCache::kUnknown) return known;
  const Tag result = moves_.canonical(set, how).tag;
  renamings_.add(set, number, result);
  return result;
}

}  // namespace plumb::verify
