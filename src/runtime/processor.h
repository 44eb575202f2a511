// SPDX-License-Identifier: Apache-2.0
// Instructions that give another value each time: rdtsc, rdrand, rdseed.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

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

// rdrand and rdseed do not trap: in the test's code, ud2 is put in their place.
void replace_random_instructions();
void put_random_instructions_back();
// Is one of these at `pc`?
bool is_random_instruction(std::uintptr_t pc);

}  // namespace plumb::runtime
