// SPDX-License-Identifier: Apache-2.0
// Compares the verdicts of searches on random programs of objects.
#pragma once

#include "search/machine.h"

namespace plumb::search_test {

// Returns 0 if they agree.
int compare_verdicts(const Machines& machines, int rounds, unsigned seed);

}  // namespace plumb::search_test
