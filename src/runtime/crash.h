// SPDX-License-Identifier: Apache-2.0
// Crashes of the code under test, and calls that end the program: findings.
#pragma once

namespace plumb::runtime {

// From here on a signal of a fault (SIGSEGV, ...) in a thread of an execution
// ends that execution, and so do abort(), a failed assert() and std::terminate.
// So does a thread that runs for a long time without an event.  Elsewhere they
// do what they did before.
void catch_crashes();
// The handlers of before are back.
void stop_catching_crashes();

}  // namespace plumb::runtime
