// SPDX-License-Identifier: Apache-2.0
// relax(S, Q): the object that is off by at most Q, as an object of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/specification.h"

namespace plumb::spec {

struct Relaxation {
  // By operation code: how many places of its class an operation may move.
  // A class is the operations of one name; 0: they keep their places.
  std::vector<std::uint32_t> factors;

  // By operation code: the arguments that an operation may have which is
  // guessed before it has been invoked.  Only relaxed codes are looked at; an
  // operation without argument has the single argument null.
  // In the order of compare().
  std::vector<std::vector<Value>> arguments;

  // The one of these that stands for all values that nobody mentions.
  Value unmentioned;

  // Must every debt be paid when a history ends?  Otherwise it is enough that
  // further operations of the relaxed classes could still pay it.
  bool closed = false;
};

// Quasi-linearizability [AfekKorlandYanovsky10, Def. 4], read in place, is
// linearizability of this object: see relax.cpp.
// Requires: `base` outlives the result.
SpecificationPtr relax(const Specification& base, Relaxation relaxation);

}  // namespace plumb::spec
