// SPDX-License-Identifier: Apache-2.0
// Signals that the code under test sends to itself, and its handlers.
//
// raise() calls the handler like a function, on the stack of its thread.  What
// comes at any moment (alarm(), a signal to another thread) is not supported.
#pragma once

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

// pthread_kill(): is the thread this one?
int signal_thread(bool is_self, int signal, const void* pc);

}  // namespace plumb::runtime
