// SPDX-License-Identifier: Apache-2.0
// The object whose takes may give an item before its turn.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "spec/specification.h"

namespace plumb::spec {

// Two relaxations of [HenzingerEtAl13], each for the takes of one name.
//
// Out of order by k: a take may give an item of which at most k others should
// be given before it, in the order in which the object would give them.
//   Example: a queue that holds 1, 2, 3 (oldest first), deq out of order by 1:
//   `deq -> 2` is allowed, and after it again `deq -> 3`, and so on: 1 may be
//   overtaken for ever, one place at a time.
//   Counter-example: `deq -> 3` at first, which is 2 places from its turn.
//
// Late by k: a take may give any item, but at most k takes in a row pass by
// the item whose turn it is.  A take that gives that item ends the row; one
// that found nothing, and operations of other names, do not count.
//   Example: a queue that holds 1, 2, 3, 4, deq late by 2: `deq -> 4`,
//   `deq -> 2`, `deq -> 1`.
//   Counter-example: `deq -> 4`, `deq -> 3`, `deq -> 2`: the third take in a
//   row that passes by 1.
//   It is the item whose turn it is at each take: in a stack, one that was
//   pushed just now.
//
// With both, a take must keep to both: the restricted relaxation of the paper.
// Where several items have the same turn (a priority queue, equal priorities),
// each of them is next when those before all of them are gone.
struct Overtaking {
  static constexpr std::uint32_t kUnbounded =
      std::numeric_limits<std::uint32_t>::max();

  // By operation code.  0 in one of them: it takes what is next, always.
  std::vector<std::uint32_t> furthest;  // out of order by
  std::vector<std::uint32_t> in_a_row;  // late by
};

// Requires: base->has_turns(code) wherever both numbers are above 0, and both
// have one number for each operation.  If the parts of `base` are objects
// (`plumb::spec::product_of`), each is relaxed on its own.
SpecificationPtr allow_overtaking(SpecificationPtr base, Overtaking overtaking);

}  // namespace plumb::spec
