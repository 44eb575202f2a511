// SPDX-License-Identifier: Apache-2.0
// Runs code of the test and catches what it throws.
#pragma once

namespace plumb::runtime {

// Returns what `entry(argument)` returns; an exception that comes out of it is
// a finding.  (In a file of its own: the runtime is compiled without
// exceptions, this is not.)
void* run_entry(void* (*entry)(void*), void* argument);

}  // namespace plumb::runtime
