// SPDX-License-Identifier: Apache-2.0
// Crashes of the code under test, and calls that end the program: findings.
#pragma once

#include <ucontext.h>

namespace plumb::runtime {

// From here on a signal of a fault (SIGSEGV, ...) in a thread of an execution
// ends that execution, and so do abort(), a failed assert() and std::terminate.
// So does a thread that runs for a long time without an event (patience.h).
// Elsewhere they do what they did before.
void catch_crashes();
// The handlers of before are back.
void stop_catching_crashes();

// For handlers of signals: what was interrupted goes on here instead, on a
// stack of its own.  Requires: `function` does not return.
void go_on_in(void (*function)(), greg_t* registers);

}  // namespace plumb::runtime
