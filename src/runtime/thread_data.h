// SPDX-License-Identifier: Apache-2.0
// What happens when a thread of the test ends: destructors of its data.
#pragma once

namespace plumb::runtime {

// Destroys the thread-local objects of this thread, last made first, then what
// it keeps under keys (pthread_setspecific).  Harmless if nothing is left.
// Requires: active.
void destroy_thread_data();

}  // namespace plumb::runtime
