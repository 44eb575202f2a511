// SPDX-License-Identifier: Apache-2.0
// Signals that the code under test sends to itself, and its handlers.
//
// raise() calls the handler like a function, on the stack of its thread.  What
// comes at any moment (alarm(), a signal to another thread) is not supported.
#pragma once

#include <cstdint>

#include "sched/event.h"

namespace plumb::runtime {

// Has the test installed a handler for this signal, in this execution?
bool is_handled_by_test(int signal);

// What a signal does to this thread now.
enum class Disposition : unsigned char {
  kDefault,
  kIgnored,  // or blocked
  kHandled,
};
Disposition disposition_of(int signal);

// A new thread begins with the mask of the one that runs.
void inherit_mask(sched::ThreadId thread);
// The mask of this thread, and another one: see sigsetjmp().
std::uint64_t signal_mask();
void set_signal_mask(std::uint64_t mask, const void* pc);

// kill() of this process.
int signal_process(int signal, const void* pc);
int signal_thread(sched::ThreadId thread, int signal, const void* pc);

}  // namespace plumb::runtime
