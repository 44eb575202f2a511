// SPDX-License-Identifier: Apache-2.0
// What happens when a thread of the test ends: destructors of its data.
#pragma once

#include <cstdint>

#include "sched/event.h"

namespace plumb::runtime {

// Destroys the thread-local objects of this thread, last made first, then what
// it keeps under keys (pthread_setspecific).  Harmless if nothing is left.
// Requires: active.
void destroy_thread_data();
// The function that calls destructors: what these do, nobody stands in for.
std::uintptr_t address_of_destructor_calls();

// Calls visit(context, key, value) for what a thread keeps under keys.
void each_thread_value(sched::ThreadId thread,
                       void (*visit)(void*, std::uint32_t key, void* value),
                       void* context);
// Which of its thread-local objects is the last that was made; 0: none.
std::uint32_t thread_objects(sched::ThreadId thread);

}  // namespace plumb::runtime
