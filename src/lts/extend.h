// SPDX-License-Identifier: Apache-2.0
// One more step of a run that is known by its states.
#pragma once

#include <functional>

#include "lts/path.h"
#include "lts/system.h"

namespace plumb::lts {

// Adds the first step to `state` whose label `is_meant`.  Returns false if
// there is none.
bool extend(Path& path, const System& system, StateView state,
            const std::function<bool(const Label&)>& is_meant);

}  // namespace plumb::lts
