// SPDX-License-Identifier: Apache-2.0
// Clocks and random numbers as the code under test sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "sched/event.h"

namespace plumb::runtime {

// Each thread has a clock of its own, which moves when it is read, when the
// thread sleeps and when it waits in vain.  All clocks of the system show the
// same time.  Requires: active.
timespec read_clock();
// Did anybody read a clock since this was set to false?
extern bool clock_was_read __attribute__((visibility("hidden")));
// What a thread's clock shows, as a number.
std::int64_t time_of(sched::ThreadId thread);
void pass_time(const timespec& duration);
void pass_time_until(const timespec& deadline);

// Fills a buffer for code at `pc`: with one of the values that are tried.
void random_bytes(void* buffer, std::size_t size, std::uintptr_t pc);

}  // namespace plumb::runtime
