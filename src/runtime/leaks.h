// SPDX-License-Identifier: Apache-2.0
// Blocks that nobody can free any more when an execution has ended.
#pragma once

#include "runtime/core.h"

namespace plumb::runtime {

// Fills in a finding if a block of the heap is neither free nor reachable from
// the program's data.
void find_leak(Finding& finding);

}  // namespace plumb::runtime
