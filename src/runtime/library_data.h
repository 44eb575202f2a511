// SPDX-License-Identifier: Apache-2.0
// The data of shared libraries, put back after executions that may write it.
//
// That of the test's own libraries is compared after each execution; that of
// the system's, the C and C++ libraries among them, after those that called
// into one (library_calls.h).  So whatever functions keep for their next call,
// the next execution begins without it.
//
// What the runtime itself changes while a test runs stays: the state of the C
// library's allocator, the standard streams, the loader's data, and that of
// libraries which only we need.
#pragma once

#include <span>

#include "runtime/globals.h"

namespace plumb::runtime {

// Of the test's own libraries; known once there is a snapshot.
std::span<const GlobalRange> library_ranges();

// Remembers the data as it is now, in place of what was remembered.
void library_data_snapshot();
// Puts it back.  Requires: there is a snapshot.
void library_data_restore();

// The test has called into a library of the system, or written to what is
// neither its stacks, the heap nor the executable's data.
#pragma GCC visibility push(hidden)
extern bool system_was_called;
#pragma GCC visibility pop

}  // namespace plumb::runtime
