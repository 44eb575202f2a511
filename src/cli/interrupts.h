// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM, SIGHUP, and ends that nobody planned: out of memory.
#pragma once

namespace plumb::cli {

// The first signal ends what is done, which then tells what it knows.  If that
// takes more than a second, because something waits or has much left to do,
// the process ends without it; but a checkpoint that is being written comes
// first.
void handle_interrupts();

}  // namespace plumb::cli
