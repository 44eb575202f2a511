// SPDX-License-Identifier: Apache-2.0
// One form for the states of a relaxed queue that differ by names only.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/relax_classes.h"
#include "spec/relax_debts.h"
#include "spec/specification.h"

namespace plumb::spec {

// A queue whose deq is relaxed, in a class of its own, has at each place of
// that class exactly one deq executed, that of the item in front.  So a late
// `deq -> v` for which there is a v inside will be executed when the first v
// (the second, for a second such debt that is younger) gets to the front:
// when that is, is known, and until then nobody sees the item.  It is a hole,
// of which only the place matters: neither its name nor, once it is known to
// be in time, how long the deq has waited.
//   Example, factor 1: [2, 5] with `deq -> 1` early and `deq -> 2` late, and
//   [3, 5] with `deq -> 1` early and `deq -> 3` late, both become
//   ["taken", 5] with `deq -> 1` early and `deq -> "taken"` late.
class Holes {
 public:
  // Nothing if the object and the classes are not of that kind.
  static std::optional<Holes> of(const Specification& base,
                                 const Classes& classes);

  // False if a hole gets to the front too late.
  bool make(Unpacked& state) const;

 private:
  Holes(std::uint16_t deq, std::uint32_t factor) : deq_(deq), factor_(factor) {}

  std::uint16_t deq_;
  std::uint32_t factor_;
};

}  // namespace plumb::spec
