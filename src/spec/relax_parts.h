// SPDX-License-Identifier: Apache-2.0
// The relaxed object whose parts are objects of their own: a map's keys.
#pragma once

#include <functional>

#include "spec/relax.h"
#include "spec/specification.h"

namespace plumb::spec {

// Histories of such an object are judged part by part, so places are counted
// in each part.  `relax_one` relaxes one part: it is given the relaxation with
// the arguments of calls that concern this part.
// Requires: base->parts_are_objects().
SpecificationPtr relax_parts(
    SpecificationPtr base, const Relaxation& relaxation,
    const std::function<SpecificationPtr(Relaxation)>& relax_one);

}  // namespace plumb::spec
