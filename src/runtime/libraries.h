// SPDX-License-Identifier: Apache-2.0
// Which parts of the program are the test's own, and which the system's.
#pragma once

#include <link.h>

#include <cstdint>

namespace plumb::runtime {

// Is this loaded object the executable, or a shared library that is neither
// ours nor lies where the system's libraries are?
bool is_tests_own(const dl_phdr_info* info);

// Is the thread-local data of this object each test thread's own?  That of
// libraries that the runtime uses as well is not: what it needs of theirs is
// known (tls.h).
bool has_data_of_threads(const dl_phdr_info* info);

// Looks at what is loaded.  To be called before executions begin.
void find_libraries();

// Calls visit(context, begin, bytes) for the data of all libraries but ours
// that can be written.
void each_library_data(void (*visit)(void*, std::uintptr_t, std::size_t),
                       void* context);

// Is this memory data of a library of the system, but for C++'s, or of ours?
// What it locks in there is its own business: there is nothing to explore.
bool in_system_library(std::uintptr_t address);

}  // namespace plumb::runtime
