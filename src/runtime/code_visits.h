// SPDX-License-Identifier: Apache-2.0
// Whether executions come to code that no hook tells of (unhooked_code.h).
//
// A breakpoint at each such place goes off once and is gone, so a search pays
// for what it comes to first, and for nothing after that.  While there is one
// thread only, nothing that it does can be missed: those are set again when
// there are more.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace plumb::runtime {

// Sets all breakpoints.
void watch_visits();
void stop_watching_visits();

// A place in such code that executions came to, since then; 0: none.
std::uintptr_t visited_unhooked();
// Did executions that were not audited come to stretches of code that touch
// more than they announce?  Asked once.
bool visited_stretches();
// Watches those again that no audited execution came to.
void watch_stretches();

// An audited execution begins: it must know each time that it comes to such a
// place (audit_enter_unhooked).
void watch_unhooked_calls();
// ... and is at `pc` now: where it passed one before is watched again.
void set_passed_again(std::uintptr_t pc);

// At a trap: goes on without the breakpoint.  Returns false if it was none.
bool pass_breakpoint(greg_t* registers);
// A second thread begins.
void watch_visits_of_threads();

}  // namespace plumb::runtime
