// SPDX-License-Identifier: Apache-2.0
// Compares compiled programs with the axioms of memory models.
#pragma once

#include "search/machine.h"

namespace plumb::search_test {

// Returns 0 if they agree.
int compare_with_axioms(const Machines& machines, int rounds, unsigned seed);

}  // namespace plumb::search_test
