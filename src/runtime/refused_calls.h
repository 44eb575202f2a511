// SPDX-License-Identifier: Apache-2.0
// Calls of the system that are not under control: executions make none.
//
// What the C library has functions for is refused there, by the function's
// name (processes.cpp, signals.cpp).  Others come here: system calls that the
// test makes by itself, or by way of functions that nobody stands in for.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace plumb::runtime {

// Returns false if the call may be made.  Else the thread goes on, instead of
// behind the call, in what ends the execution.
bool refuse_call(long number, const std::uint64_t (&arguments)[6],
                 greg_t* registers);

// The same where the execution can be ended at once.
void require_supported(long number, const std::uint64_t (&arguments)[6],
                       std::uintptr_t pc);

}  // namespace plumb::runtime
