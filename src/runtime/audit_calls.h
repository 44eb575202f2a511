// SPDX-License-Identifier: Apache-2.0
// System calls of audited executions: what the kernel reads and writes.
//
// Where memory is protected, it refuses to.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include "runtime/audit_signals.h"

namespace plumb::runtime {

// From here on system calls of the test, and of what it calls, come to
// on_call() as a signal.  Those of the runtime, which has `active` false, do
// not.
void look_at_calls();
void stop_looking_at_calls();
// Can the kernel do that?  Else what it does to memory is unseen, and calls
// that are given protected memory fail.
bool can_look_at_calls();

// Returns false if the signal is none of these.
bool on_call(siginfo_t* info, greg_t* registers, bool was_active);

// While a search runs, all such calls come to a handler of ours, audited or
// not, which tells left_behind.h.
void watch_calls();
void stop_watching_calls();
// A new process, or one that had to let a call pass, begins to again.
void watch_calls_again();

// Makes a call for the test, and tells left_behind.h.  Returns what the kernel
// does: an error is a negative number.  Requires: not active.
long make_call(long number, const CallArguments& arguments);

// Of audit.cpp.
bool audit_protects(std::uintptr_t address);
// The innermost call in the test's code, or in ours, that led to `pc`.
std::uintptr_t audit_caller(std::uintptr_t pc, bool& is_ours);

}  // namespace plumb::runtime
