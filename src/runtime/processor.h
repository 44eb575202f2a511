// SPDX-License-Identifier: Apache-2.0
// Instructions that give another value each time: rdtsc, rdtscp.
#pragma once

#include <signal.h>
#include <ucontext.h>

namespace plumb::runtime {

// Lets rdtsc and rdtscp trap, if the test's code has any.
void trap_clock_instructions();
void stop_trapping_clock_instructions();
// May clocks be read without a call of the system?  Not while those trap.
bool has_fast_clocks();

// Was the fault such an instruction?  Then it is done: with a clock that is the
// same in each execution and goes forward, outside of executions with the real
// one.
bool emulate_clock_instruction(const siginfo_t& fault, mcontext_t& machine);

}  // namespace plumb::runtime
