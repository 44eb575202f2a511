// SPDX-License-Identifier: Apache-2.0
// Many independent copies of one object, one per key, as one object.
#pragma once

#include "spec/specification.h"

namespace plumb::spec {

// For conditions that are not local, such as sequential consistency: there
// the keys of a history must be judged together.  The operations are those of
// `part`, but every argument is the list [key, argument of the part], also
// where the part has no argument: `read` of the key "x" takes ["x", null].
// Each key starts in the part's initial state.
//
// Its name is "register per key", say, which is no name of the catalogue.
SpecificationPtr product_of(SpecificationPtr part);

}  // namespace plumb::spec
