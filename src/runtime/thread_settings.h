// SPDX-License-Identifier: Apache-2.0
// What threads set and the system keeps for each: names, priorities, ...
//
// To the system all threads of the test are one, so this is kept here, and
// forgotten with the execution.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>

#include "sched/event.h"

namespace plumb::runtime {

struct ThreadSettings {
  std::uint32_t run = 0;  // of another run: as at the beginning
  char name[16] = {};
  int policy = 0;
  int priority = 0;
  int niceness = 0;
  unsigned long timer_slack = 0;
  cpu_set_t processors = {};
  bool is_bound = false;  // to these processors, by the test
  int cancel_state = PTHREAD_CANCEL_ENABLE;
  int cancel_type = PTHREAD_CANCEL_DEFERRED;
  stack_t signal_stack = {};
};
// Of the thread that runs.  Requires: active.
ThreadSettings& my_settings();
// Where it runs: the first processor that it was bound to, else 0.
unsigned my_processor();
// A hash of those of a thread: two states in which it differs are not alike.
std::uint64_t settings_of(sched::ThreadId thread);
// A new thread begins with what this one has, as far as the system says so.
void inherit_settings(sched::ThreadId thread);

// Of sync_threads.cpp: is there a thread of that name?
bool thread_called(pthread_t name, sched::ThreadId& thread);
// ... code at `pc` asks what its thread is called: see thread_was_asked.  What
// the C++ library asks is only whether two are the same.
void note_who_asks(std::uintptr_t pc);

// Is this a system call about such settings, of threads of the test?  Then it
// is done, and `answer` is what the kernel would say.
bool settings_by_call(long number, const std::uint64_t (&arguments)[6],
                      const void* pc, long& answer);

}  // namespace plumb::runtime
