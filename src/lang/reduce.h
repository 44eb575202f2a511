// SPDX-License-Identifier: Apache-2.0
// A model with fewer states and steps, and the same verdict.
#pragma once

#include "lang/model.h"
#include "lts/reduction.h"

namespace plumb::lang {

// `model.system` must be one that compile() made.  `specification` is the one
// that the search follows, relaxed or not; null if it follows none: values that
// it tells apart are told apart by the question.
lts::Reduced reduce(const Model& model,
                    const spec::Specification* specification,
                    lts::Reductions wanted);

}  // namespace plumb::lang
