// SPDX-License-Identifier: Apache-2.0
// SIGPIPE: what the kernel sends to who writes where nobody reads any more.
//
// The process must outlive it, whatever the code under test thinks of it.  So
// the kernel's signal is caught, and the test gets one of signals.h: by the
// stand-in that wrote, or, where the C library wrote, as the end of the
// execution unless the test ignores it.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace plumb::runtime {

void catch_broken_pipes();
void stop_catching_broken_pipes();

// What the test finds if it has set nothing itself in this execution.
const struct sigaction& first_action_for_pipes();

// While it lives, whoever made it calls after_write() and nobody else tells.
class Writing {
 public:
  Writing();
  ~Writing();
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
};

// Gives the test its signal if this was the result of a write to `file`, and
// returns it.
ssize_t after_write(ssize_t result, int file, const void* pc);

}  // namespace plumb::runtime
