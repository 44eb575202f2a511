// SPDX-License-Identifier: Apache-2.0
// What an execution leaves behind in the process, put back after it.
//
// Descriptors, positions in files, the working directory, the mask for new
// files, signal masks and handlers, timers, limits, the environment, locales,
// handlers of the C++ library.  (Memory: globals.h, heap.h.)  System calls of
// the test come to us as a signal (syscall user dispatch), so that nothing has
// to be looked for after executions that make none.
//
// LIMIT: what files hold is not put back: that is told (left_files()).  Where
// the kernel has no such dispatch, system calls are not noticed.
#pragma once

#include <cstdint>
#include <cstdio>

namespace plumb::runtime {

// Before the first execution of a search, and after its last.
void watch_process();
void stop_watching_process();

// After each execution.
void put_back_process();

// Did executions of this search change files for good?  Null, or how.
const char* left_files();

// A system call of the test is about to be made, or was made.
void before_call(long number, const std::uint64_t (&arguments)[6]);
void after_call(long number, const std::uint64_t (&arguments)[6], long result);

// For what the C library does without our noticing.
void note_stream(std::FILE* stream, const char* path, const char* mode);
void forget_stream(std::FILE* stream);
void note_reading(const std::FILE* stream);
void note_changed_files(const char* how);

}  // namespace plumb::runtime
