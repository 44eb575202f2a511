// SPDX-License-Identifier: Apache-2.0
// The time limit that the user gave to this run, for those who tell of it.
#pragma once

#include "base/budget.h"

namespace plumb {

// All of it is `seconds`, and it ends at `deadline`.  Of several, the first one
// to end counts.  A budget that ends before has a share of it, and says so.
void note_time_limit(double seconds, Budget::Clock::time_point deadline);

}  // namespace plumb
