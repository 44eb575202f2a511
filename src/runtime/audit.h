// SPDX-License-Identifier: Apache-2.0
// The audit: finds accesses to memory that no hook announced, by looking.
//
// In an execution that is audited, what threads can share is protected
// (mprotect) while more than one thread lives: the heap, the data of the
// executable and of the test's own libraries, what it has mapped, the stacks
// and thread-local data of threads that do not run.  Every access faults.  If a
// hook announced it right before, in the same function, or if it is the
// runtime's own, one instruction is let pass. Anything else was unseen: code
// that was not compiled for us, assembly, the C library, the kernel.  It is
// written down (audit_log.h), told to the race detector, and, where it may be
// meant to be atomic, becomes an event.
//
//   audit.cpp         what is protected, and what a fault means
//   audit_code.cpp    instructions: what they touch, one at a time
//   audit_objects.cpp whose code and whose data an address is
//   audit_calls.cpp   system calls
//   audit_unseen.cpp  what becomes of an unseen access
//   audit_log.cpp     what was seen and unseen, and what of it is in conflict
//
// A search begins with a few audited executions.  If those do, or it comes by
// itself to, what no hook tells of (code_visits.h), all of it is audited.
//
// LIMIT: not looked at: the running thread's own stack and thread-local data,
// but for pages that others were seen to touch, while it is in code that no
// hook tells of, or in the first executions; mappings with code, or only to be
// read; data inside libraries of the system.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"

namespace plumb::runtime {

namespace audit {
std::uint64_t faults();  // of all executions so far
}  // namespace audit

// What is loaded, and where; before executions begin.
void audit_prepare();
// Is the test apart from this library, so that the two can be told?
bool can_audit();

// A second thread begins: from here on memory is protected.
void audit_start();
// There is but one thread again, or none.
void audit_stop();

// What a hook of a plain access does last: the test is about to touch this.
void audit_note(std::uintptr_t address, std::uint32_t size, bool writes,
                std::uintptr_t pc);

// As audit_close(), as the last act of a hook.
void audit_leave();

// All is open for a while, for those who look at everything.
void audit_open_all();
void audit_close_all();

// The thread that runs comes to code that no hook tells of.
void audit_enter_unhooked();
// From here on threads are watched, at what they share of their own with
// others, in hooked code as well: for what compilers forget.  It is slow.
void audit_watch_own(bool all);

// This thread is about to run, on its stack and with its thread-local data; or
// does so no more.
void audit_open_thread(ThreadId thread);
void audit_close_thread(ThreadId thread);

// This memory was mapped (mappings.h).
void audit_mapped(std::uintptr_t begin, std::uintptr_t end);

}  // namespace plumb::runtime
