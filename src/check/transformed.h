// SPDX-License-Identifier: Apache-2.0
// The object that out_of_order, late and stuttering make of another one.
#pragma once

#include "check/condition.h"
#include "spec/specification.h"

namespace plumb::check {

// `base` itself if the condition has no such relaxation with a number above 0.
// An operation that has only one of out_of_order and late is not bounded by
// the other.  What stutters is the object that the other two have made: a take
// may then give an item out of order and leave it inside.
// Requires: the condition fits `base`.
spec::SpecificationPtr transformed_object(spec::SpecificationPtr base,
                                          const Condition& condition);

// The same question without them: asked of `object`, `condition` has the
// answer that `original` has of the object that was given.
struct Plain {
  spec::SpecificationPtr object;
  Condition condition;
};
// Requires: `object` outlives the result.
Plain without_transformations(const spec::Specification& object,
                              const Condition& original);

}  // namespace plumb::check
