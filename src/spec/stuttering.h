// SPDX-License-Identifier: Apache-2.0
// The object whose operations may leave it as it was.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/specification.h"

namespace plumb::spec {

// Stuttering by k [HenzingerEtAl13], for the operations of one name: one of
// them gives the result that it would give, but may leave the object as it
// was, at most k times in a row.  One that changes the object ends the row; one
// that has nothing to change (a read, a `deq` that finds nothing), and
// operations of other names, do not count.
//   Example: a counter with inc stuttering by 1: `inc -> 0`, `inc -> 0`,
//   `inc -> 1`, `inc -> 1`, `inc -> 2`.
//   Counter-example: `inc -> 0` three times: two stutters in a row.
//
// `times` is by operation code; 0: it never stutters.  If the parts of `base`
// are objects (a map's keys), rows are counted in each of them.
SpecificationPtr allow_stuttering(SpecificationPtr base,
                                  std::vector<std::uint32_t> times);

}  // namespace plumb::spec
