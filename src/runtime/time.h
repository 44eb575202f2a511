// SPDX-License-Identifier: Apache-2.0
// Clocks and random numbers as the code under test sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "sched/event.h"

namespace plumb::runtime {

// There is one clock for all threads, which moves when it is read, when a
// thread sleeps and when one waits in vain.  All clocks of the system show its
// time. To read it is an event: who reads it first has seen an earlier time.
// Requires: active.
timespec read_clock(const void* pc);
// Did anybody read a clock since this was set to false?
extern bool clock_was_read __attribute__((visibility("hidden")));
// What it shows, as a number.
std::int64_t time_now();
// The C library refuses others.
inline bool is_time(const timespec& time) {
  return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}
// A wait has ended because its time was over.  Events: others go on.
void wait_in_vain(const timespec& duration, const void* pc);
void wait_in_vain_until(const timespec& deadline, const void* pc);

// Fills a buffer for code at `pc`: with one of the values that are tried.
void random_bytes(void* buffer, std::size_t size, std::uintptr_t pc);

}  // namespace plumb::runtime
