// SPDX-License-Identifier: Apache-2.0
// Processes that a test program starts to work for it end with it.
#pragma once

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace plumb::harness {

// First thing in the child; `parent`: who forked it.
inline void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it was too late for that
}

}  // namespace plumb::harness
