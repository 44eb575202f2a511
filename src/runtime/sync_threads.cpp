// SPDX-License-Identifier: Apache-2.0
// Threads of POSIX: started, joined, ended.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unwind.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "runtime/core.h"
#include "runtime/graph_memory.h"
#include "runtime/reals.h"
#include "runtime/signals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/thread_data.h"
#include "runtime/thread_settings.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

PLUMB_REAL(pthread_create);
PLUMB_REAL(pthread_join);
PLUMB_REAL(pthread_tryjoin_np);
PLUMB_REAL(pthread_timedjoin_np);
PLUMB_REAL(pthread_clockjoin_np);
PLUMB_REAL(pthread_detach);
PLUMB_REAL(pthread_exit);
PLUMB_REAL(pthread_self);
PLUMB_REAL(pthread_kill);
PLUMB_REAL(pthread_cancel);
PLUMB_REAL(pthread_getattr_np);

// What a thread is called is a number where no memory is; thread 0 is called
// as it was before the execution.
constexpr pthread_t kFirst = kRegion - (std::uintptr_t{1} << 36);
constexpr unsigned kShift = 8;

struct Thread {
  std::uint32_t run = 0;  // of another run: it was not started by us
  ThreadId id = 0;
  bool is_detached = false;
  bool is_joined = false;
  void* (*entry)(void*) = nullptr;
  void* argument = nullptr;
  std::uintptr_t frame = 0;  // of what called `entry`
  _Unwind_Exception unwinding = {};
  void* result = nullptr;  // while it unwinds
};
constinit Thread threads[sched::kMaxThreads] = {};

pthread_t name_of(ThreadId thread) {
  if (thread == 0) return real_pthread_self();
  return kFirst + (pthread_t{thread} << kShift);
}

Thread* thread_of(pthread_t name) {
  const pthread_t number = (name - kFirst) >> kShift;
  if (name < kFirst || number >= sched::kMaxThreads) return nullptr;
  Thread& thread = threads[number];
  return thread.run == run_number ? &thread : nullptr;
}

Thread& existing_thread(pthread_t name, const void* pc) {
  Thread* thread = thread_of(name);
  if (thread == nullptr) {
    fail(Fault::kMisuse, number_of(pc), "there is no such thread");
  }
  return *thread;
}

[[gnu::noinline]] void* run_thread(void* argument) {
  auto& thread = *static_cast<Thread*>(argument);
  thread.frame = number_of(__builtin_frame_address(0));
  void* result = thread.entry(thread.argument);
  destroy_thread_data();
  return result;
}

// More than the system gives by itself, and than there is.
void require_stack(const pthread_attr_t& attributes, const void* pc) {
  pthread_attr_t usual;
  std::size_t wanted = 0, given = 0;
  pthread_attr_init(&usual);
  pthread_attr_getstacksize(&usual, &given);
  pthread_attr_getstacksize(&attributes, &wanted);
  if (wanted > given && wanted > kStackBytes) {
    fail(Fault::kUnsupported, number_of(pc),
         "a thread asks for a stack of more than %zu MiB", kStackBytes >> 20);
  }
}

bool ended(const void* thread) {
  return has_ended(static_cast<const Thread*>(thread)->id);
}

}  // namespace

bool thread_called(pthread_t name, ThreadId& thread) {
  const Thread* const found = thread_of(name);
  if (found == nullptr && name != name_of(0)) return false;
  thread = found == nullptr ? ThreadId{0} : found->id;
  return true;
}

// The number of the next thread is known before it runs: it may ask for its
// name at once.
int create_thread(pthread_t* name, const pthread_attr_t* attributes,
                  void* (*entry)(void*), void* argument, const void* pc) {
  int detach_state = PTHREAD_CREATE_JOINABLE;
  tell_write(name, number_of(pc));
  if (attributes) {
    tell_read(attributes, number_of(pc));
    pthread_attr_getdetachstate(attributes, &detach_state);
    require_stack(*attributes, pc);
  }
  if (graphs) require_numbered_threads(number_of(pc));
  Event event = sync_event(Kind::kSpawn, 0, false, pc);
  event.size = 0;
  event.second = kOrderOfSpawns;
  announce(event);
  const ThreadId next = next_thread();
  Thread& thread = threads[next];
  thread.run = run_number;
  thread.id = next;
  thread.is_detached = detach_state == PTHREAD_CREATE_DETACHED;
  thread.is_joined = false;
  thread.entry = entry;
  thread.argument = argument;
  store(name, name_of(thread.id));
  inherit_settings(next);
  event.address = event.value = event.seen = spawn(run_thread, &thread);
  if (graphs) {
    const OwnWork own;
    graphs->spawned(self(), thread.id);
    tell_races();
  }
  did(event);
  return 0;
}

int join_thread(pthread_t name, void** result, const void* pc) {
  Thread& thread = existing_thread(name, pc);
  if (thread.id == self()) return EDEADLK;
  if (thread.is_detached || thread.is_joined) {
    fail(Fault::kMisuse, number_of(pc),
         thread.is_joined ? "a thread is joined that was joined before"
                          : "a thread is joined that was detached");
  }
  thread.is_joined = true;
  Event event = sync_event(Kind::kJoin, thread.id, false, pc);
  event.size = 0;
  announce_when(event, ended, &thread);
  if (graphs) {
    const OwnWork own;
    graphs->joined(self(), thread.id);
    tell_races();
  }
  did(event);
  forget(thread.id);
  tell_write(result, number_of(pc));
  store(result, result_of(thread.id));
  return 0;
}

namespace {

int detach(pthread_t name, const void* pc) {
  Thread& thread = existing_thread(name, pc);
  if (thread.is_joined || thread.is_detached) {
    fail(Fault::kMisuse, number_of(pc),
         thread.is_joined ? "a thread is detached that was joined before"
                          : "a thread is detached that was detached before");
  }
  thread.is_detached = true;
  return 0;
}

[[noreturn]] void finish(void* result) {
  destroy_thread_data();
  exit_thread(result);
}

_Unwind_Reason_Code stop_at_entry(int, _Unwind_Action actions,
                                  _Unwind_Exception_Class, _Unwind_Exception*,
                                  _Unwind_Context* context, void* argument) {
  const auto& thread = *static_cast<const Thread*>(argument);
  if (actions & _UA_END_OF_STACK || _Unwind_GetCFA(context) > thread.frame) {
    finish(thread.result);
  }
  return _URC_NO_REASON;
}

// Leaves all functions of the thread, running the destructors of what they
// hold, as the C library does.
[[noreturn]] void exit_here(void* result) {
  Thread& thread = threads[self()];
  thread.result = result;
  if (self() == 0 || thread.run != run_number) finish(result);
  thread.unwinding = {};
  _Unwind_ForcedUnwind(&thread.unwinding, stop_at_entry, &thread);
  finish(result);
}

int stack_attributes(pthread_t name, pthread_attr_t* attributes,
                     const void* pc) {
  const ThreadId id =
      name == name_of(0) ? ThreadId{0} : existing_thread(name, pc).id;
  tell_write(attributes, number_of(pc));
  globals_written(number_of(attributes), sizeof(*attributes));
  pthread_attr_init(attributes);
  const Stack stack = stack_of(id);
  return pthread_attr_setstack(attributes, reinterpret_cast<void*>(stack.low),
                               stack.size);
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int pthread_create(pthread_t* name, const pthread_attr_t* attributes,
                   void* (*entry)(void*), void* argument) noexcept {
  if (!active) return real_pthread_create(name, attributes, entry, argument);
  return create_thread(name, attributes, entry, argument, PLUMB_PC);
}

int pthread_join(pthread_t name, void** result) {
  if (!active) return real_pthread_join(name, result);
  return join_thread(name, result, PLUMB_PC);
}

// LIMIT: these wait until the thread has ended; that it may not have ended yet
// is not tried.
int pthread_tryjoin_np(pthread_t name, void** result) noexcept {
  if (!active) return real_pthread_tryjoin_np(name, result);
  return join_thread(name, result, PLUMB_PC);
}

int pthread_timedjoin_np(pthread_t name, void** result,
                         const timespec* deadline) {
  if (!active) return real_pthread_timedjoin_np(name, result, deadline);
  tell_read(deadline, PLUMB_PC_NUMBER);
  return join_thread(name, result, PLUMB_PC);
}

int pthread_clockjoin_np(pthread_t name, void** result, clockid_t clock_id,
                         const timespec* deadline) {
  if (!active) {
    return real_pthread_clockjoin_np(name, result, clock_id, deadline);
  }
  tell_read(deadline, PLUMB_PC_NUMBER);
  return join_thread(name, result, PLUMB_PC);
}

int pthread_detach(pthread_t name) noexcept {
  return active ? detach(name, PLUMB_PC) : real_pthread_detach(name);
}

void pthread_exit(void* result) {
  if (active) exit_here(result);
  real_pthread_exit(result);
  __builtin_unreachable();
}

pthread_t pthread_self() noexcept {
  return active ? name_of(self()) : real_pthread_self();
}

int pthread_kill(pthread_t name, int signal) noexcept {
  if (!active) return real_pthread_kill(name, signal);
  if (signal != 0)
    return signal_thread(name == name_of(self()), signal, PLUMB_PC);
  const Thread* thread = thread_of(name);
  return name == name_of(0) || (thread && !ended(thread)) ? 0 : ESRCH;
}

int pthread_cancel(pthread_t name) {
  if (!active) return real_pthread_cancel(name);
  not_supported(PLUMB_PC, "pthread_cancel()");
}

int pthread_getattr_np(pthread_t name, pthread_attr_t* attributes) noexcept {
  if (!active) return real_pthread_getattr_np(name, attributes);
  return stack_attributes(name, attributes, PLUMB_PC);
}

}  // extern "C"
