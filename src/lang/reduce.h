// SPDX-License-Identifier: Apache-2.0
// A model with fewer states and steps, and the same verdict.
#pragma once

#include "lang/model.h"
#include "lts/reduction.h"

namespace plumb::lang {

// `model.system` must be one that compile() made.
lts::Reduced reduce(const Model& model, lts::Reductions wanted);

}  // namespace plumb::lang
