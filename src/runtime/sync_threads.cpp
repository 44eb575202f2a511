// SPDX-License-Identifier: Apache-2.0
// Threads of POSIX: started, joined, ended.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "runtime/core.h"
#include "runtime/early_memory.h"
#include "runtime/execution.h"
#include "runtime/graph_memory.h"
#include "runtime/loop_points.h"
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
  pthread_t name = 0;
  bool is_detached = false;
  bool is_joined = false;
  void* (*entry)(void*) = nullptr;
  void* argument = nullptr;
  std::uintptr_t frame = 0;  // of what called `entry`
  _Unwind_Exception unwinding = {};
  void* result = nullptr;  // while it unwinds
};
constinit Thread threads[sched::kMaxThreads] = {};

pthread_t number_as_name(std::size_t number) {
  return kFirst + (pthread_t{number} << kShift);
}

// Threads of a program were not started by the test itself.
pthread_t name_of(ThreadId thread) {
  if (thread == 0) return real_pthread_self();
  const bool is_ours = threads[thread].run == run_number;
  return is_ours ? threads[thread].name : number_as_name(thread);
}

Thread* thread_of(pthread_t name) {
  if (name < kFirst) return nullptr;
  for (Thread& thread : threads) {
    if (thread.run == run_number && thread.name == name) return &thread;
  }
  return nullptr;
}

// What the threads were called that a thread has joined, the last one on top.
struct FreeNames {
  std::uint32_t run = 0;
  std::size_t count = 0;
  pthread_t name[sched::kMaxThreads] = {};

  bool empty() const { return run != run_number || count == 0; }
  void add(pthread_t more) {
    if (run != run_number) clear();
    if (count < sched::kMaxThreads) name[count++] = more;
  }
  void clear() {
    run = run_number;
    count = 0;
  }
};
constinit FreeNames free_names[sched::kMaxThreads] = {};

// As in the C library, a new thread is called as the one that ended last.  Of
// those that who starts it has joined itself: executions that differ in nothing
// else agree on that.
pthread_t next_name() {
  static constinit std::uint32_t run = 0;
  static constinit std::size_t next = 0;
  FreeNames& mine = free_names[self()];
  if (!mine.empty()) {
    const pthread_t name = mine.name[--mine.count];
    if (Thread* const former = thread_of(name)) former->name = 0;
    return name;
  }
  if (run != run_number) next = sched::kMaxThreads;
  run = run_number;
  return number_as_name(next++);
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

}  // namespace

bool starts_this_thread(const void* block) {
  const Thread& thread = threads[self()];
  return thread.run == run_number && thread.argument == block &&
         is_in_cxx_library(reinterpret_cast<std::uintptr_t>(thread.entry));
}

namespace {

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

// Threads of the system that live beside executions.  These may be started and
// joined by several at once.
struct Outsider {
  std::atomic<pthread_t> name = 0;
  std::atomic<std::uintptr_t> entry = 0;
};
constinit Outsider outsiders[64] = {};

void note_outsider(pthread_t name, void* (*entry)(void*)) {
  for (Outsider& one : outsiders) {
    std::uintptr_t nobody = 0;
    const auto at = reinterpret_cast<std::uintptr_t>(entry);
    if (!one.entry.compare_exchange_strong(nobody, at)) continue;
    one.name = name;
    return;
  }
}

int without_outsider(pthread_t name, int error) {
  for (Outsider& one : outsiders) {
    if (error != 0 || one.entry == 0 || one.name != name) continue;
    one.name = 0;
    one.entry = 0;
  }
  return error;
}

bool ended(const void* thread) {
  return has_ended(static_cast<const Thread*>(thread)->id);
}

}  // namespace

bool has_outsiders() {
  for (const Outsider& one : outsiders) {
    const std::uintptr_t entry = one.entry;
    if (entry != 0 && (is_in_executable(entry) || is_in_cxx_library(entry))) {
      return true;
    }
  }
  return false;
}

void note_who_asks(std::uintptr_t pc) {
  if (thread_was_asked || !is_seen(pc)) return;
  thread_was_asked = !is_in_cxx_library(pc);
}

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
  Event event = sync_event(Kind::kSpawn, 0, false, pc);
  event.size = 0;
  event.second = kOrderOfSpawns;
  announce(event);
  // Numbers are given out one after another.
  if (graphs) access_in_graph({kOrderOfSpawns, __ATOMIC_RELAXED}, false);
  const ThreadId next = next_thread();
  const pthread_t name_of_it = next_name();
  Thread& thread = threads[next];
  thread.run = run_number;
  thread.id = next;
  thread.name = name_of_it;
  free_names[next].clear();
  thread.is_detached = detach_state == PTHREAD_CREATE_DETACHED;
  thread.is_joined = false;
  thread.entry = entry;
  thread.argument = argument;
  store(name, name_of(thread.id));
  inherit_settings(next);
  inherit_mask(next);
  event.address = event.value = event.seen = spawn(run_thread, &thread);
  if (graphs) {
    const OwnWork own;
    graphs->spawned(self(), thread.id);
    tell_races();
  }
  did(event);
  return 0;
}

namespace {

void require_joinable(const Thread& thread, const void* pc) {
  if (!thread.is_detached && !thread.is_joined) return;
  fail(Fault::kMisuse, number_of(pc),
       thread.is_joined ? "a thread is joined that was joined before"
                        : "a thread is joined that was detached");
}

void finish_join(Thread& thread, void** result, const void* pc) {
  forget(thread.id);
  free_names[self()].add(thread.name);
  tell_write(result, number_of(pc));
  store(result, result_of(thread.id));
}

}  // namespace

int join_thread(pthread_t name, void** result, const void* pc) {
  Thread& thread = existing_thread(name, pc);
  if (thread.id == self()) return EDEADLK;
  require_joinable(thread, pc);
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
  finish_join(thread, result, pc);
  return 0;
}

// To wait for some time is to look once, at any later moment.
int try_join_thread(pthread_t name, void** result, const timespec* deadline,
                    const void* pc) {
  tell_read(deadline, number_of(pc));
  Thread& thread = existing_thread(name, pc);
  if (thread.id == self() && deadline != nullptr) return EDEADLK;
  require_joinable(thread, pc);
  if (deadline != nullptr && !is_time(*deadline)) return EINVAL;
  watch_ends();
  Turn turn(sync_event(Kind::kUpdate, end_of(thread.id), true, pc));
  if (ended(&thread)) {
    thread.is_joined = true;
    turn.done();
    finish_join(thread, result, pc);
    return 0;
  }
  turn.failed();
  if (deadline == nullptr) return EBUSY;
  wait_in_vain_until(*deadline, pc);
  return ETIMEDOUT;
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
[[noreturn]] void exit_here(void* result, const void* pc) {
  Thread& thread = threads[self()];
  thread.result = result;
  const bool is_started = thread.run == run_number;  // by the test
  if (!is_started && (self() != 0 || state.waits_for_all)) {
    not_supported(pc, "pthread_exit() in a call of an operation");
  }
  if (!is_started) finish(result);
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
  if (!active) {
    const int error = real_pthread_create(name, attributes, entry, argument);
    if (error == 0) note_outsider(*name, entry);
    return error;
  }
  return create_thread(name, attributes, entry, argument, PLUMB_PC);
}

int pthread_join(pthread_t name, void** result) {
  if (!active) return without_outsider(name, real_pthread_join(name, result));
  return join_thread(name, result, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_tryjoin_np, 2, (pthread_t name, void** result)) {
  if (!active) return real_pthread_tryjoin_np(name, result);
  const LoopPoint point;
  return try_join_thread(name, result, nullptr, PLUMB_PC);
}

// No deadline: as long as it takes.
PLUMB_LOOP_POINT(int, pthread_timedjoin_np, 3,
                 (pthread_t name, void** result, const timespec* deadline)) {
  if (!active) return real_pthread_timedjoin_np(name, result, deadline);
  const LoopPoint point;
  return deadline ? try_join_thread(name, result, deadline, PLUMB_PC)
                  : join_thread(name, result, PLUMB_PC);
}

PLUMB_LOOP_POINT(int, pthread_clockjoin_np, 4,
                 (pthread_t name, void** result, clockid_t clock_id,
                  const timespec* deadline)) {
  if (!active) {
    return real_pthread_clockjoin_np(name, result, clock_id, deadline);
  }
  const LoopPoint point;
  return deadline ? try_join_thread(name, result, deadline, PLUMB_PC)
                  : join_thread(name, result, PLUMB_PC);
}

int pthread_detach(pthread_t name) noexcept {
  return active ? detach(name, PLUMB_PC) : real_pthread_detach(name);
}

void pthread_exit(void* result) {
  if (active) exit_here(result, PLUMB_PC);
  real_pthread_exit(result);
  __builtin_unreachable();
}

pthread_t pthread_self() noexcept {
  note_who_asks(PLUMB_PC_NUMBER);
  return active ? name_of(self()) : real_pthread_self();
}

int pthread_kill(pthread_t name, int signal) noexcept {
  if (!active) return real_pthread_kill(name, signal);
  ThreadId thread = 0;
  if (name == name_of(self())) {
    thread = self();
  } else if (!thread_called(name, thread) || threads[thread].is_joined) {
    return ESRCH;
  }
  return signal_thread(thread, signal, PLUMB_PC);
}

int pthread_cancel(pthread_t name) {
  if (!active) return real_pthread_cancel(name);
  not_supported(PLUMB_PC, "pthread_cancel()");
}

int pthread_getattr_np(pthread_t name, pthread_attr_t* attributes) noexcept {
  if (!active) return real_pthread_getattr_np(name, attributes);
  note_who_asks(PLUMB_PC_NUMBER);
  return stack_attributes(name, attributes, PLUMB_PC);
}

}  // extern "C"
