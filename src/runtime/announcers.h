// SPDX-License-Identifier: Apache-2.0
// Instructions of the test's code that hooks should have announced.
//
// Compilers forget some accesses among those that they announce (GCC: results
// of functions, and arguments, that are structures), and do not look into
// assembly. Once the audit has seen such an instruction, a breakpoint there
// announces what it touches, in all executions, as a hook would have done: a
// plain access.
//
// If that is in a data race with something that is not plain for certain, it
// may be assembly that is meant to be atomic: then the program is audited as a
// whole instead, and each such access is an event.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace plumb::runtime {

// The instruction at `pc` is one; returns false if it cannot be.
bool add_announcer(std::uintptr_t pc);
bool is_announcer(std::uintptr_t pc);
std::uint32_t announcer_count();

// A program begins: may they announce, or is all of it to be audited?
void start_announcers(bool are_allowed);
// Were they found not to be plain for certain?  Then they are gone.
bool announcers_failed();

// A data race between accesses that a hook or an announcer told of, `pc` and
// `other_pc` being where such a call would return to.  Leaves the execution if
// what they are is not certain.
void require_plain_race(std::uintptr_t pc, std::uintptr_t other_pc,
                        bool is_atomic);

// At a trap: announces and goes on.  Returns false if it was none of these.
bool pass_announcer(greg_t* registers);

}  // namespace plumb::runtime
