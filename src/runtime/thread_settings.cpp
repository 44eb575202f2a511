// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_settings.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/loops.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"
#include "runtime/system_call.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

constinit ThreadSettings settings_now[sched::kMaxThreads];

// What a process begins with, which the real thread has kept.
ThreadSettings first_settings() {
  const OwnWork own;
  ThreadSettings out;
  out.run = run_number;
  kernel(SYS_prctl, {{PR_GET_NAME, bits_of(out.name)}});
  out.policy = static_cast<int>(kernel(SYS_sched_getscheduler, {{0}}));
  sched_param parameter = {};
  kernel(SYS_sched_getparam, {{0, bits_of(&parameter)}});
  out.priority = parameter.sched_priority;
  // The kernel tells 20 minus it.
  out.niceness =
      20 - static_cast<int>(kernel(SYS_getpriority, {{PRIO_PROCESS, 0}}));
  out.timer_slack =
      static_cast<unsigned long>(kernel(SYS_prctl, {{PR_GET_TIMERSLACK}}));
  kernel(SYS_sched_getaffinity,
         {{0, sizeof(out.processors), bits_of(&out.processors)}});
  out.signal_stack.ss_flags = SS_DISABLE;
  return out;
}

ThreadSettings& settings_at(ThreadId thread) {
  ThreadSettings& out = settings_now[thread];
  if (out.run != run_number) out = first_settings();
  return out;
}

// Each thread has a place of its own: those who set their own names do not
// disturb each other.
std::uintptr_t place_of(ThreadId thread) {
  constexpr std::uintptr_t kFirst = kNoMemory | 256;
  return kFirst + std::uintptr_t{thread} * 8;
}

// Settings of a thread, looked at or changed in some order.
template <typename Visit>
void visit(ThreadId thread, bool writes, const void* pc, Visit visit) {
  Turn turn(sync_event(writes ? Kind::kUpdate : Kind::kRead, place_of(thread),
                       writes, pc));
  visit(settings_at(thread));
  turn.done(settings_of(thread));
}

ThreadSettings copy_of(ThreadId thread, const void* pc) {
  ThreadSettings out;
  visit(thread, false, pc, [&](const ThreadSettings& its) { out = its; });
  return out;
}

// A number of the kernel's: 0 is this thread.
bool thread_numbered(std::uint64_t number, ThreadId& thread) {
  const auto wanted = static_cast<pid_t>(number);
  const pid_t first = getpid();
  thread = wanted == 0 ? self() : static_cast<ThreadId>(wanted - first);
  return wanted == 0 ||
         (wanted >= first &&
          static_cast<std::uint32_t>(wanted - first) < threads_so_far());
}

bool may_go_down_to(int niceness) {
  rlimit limit = {};
  getrlimit(RLIMIT_NICE, &limit);
  return geteuid() == 0 || 20 - niceness <= static_cast<long>(limit.rlim_cur);
}

bool may_be_real_time(int priority) {
  rlimit limit = {};
  getrlimit(RLIMIT_RTPRIO, &limit);
  return geteuid() == 0 || priority <= static_cast<long>(limit.rlim_cur);
}

// The functions below return an error, or 0.

int set_name(ThreadId thread, const char* name, const void* pc) {
  visit(thread, true, pc, [&](ThreadSettings& its) {
    memset(its.name, 0, sizeof(its.name));
    strncpy(its.name, name, sizeof(its.name) - 1);
  });
  return 0;
}

int set_scheduling(ThreadId thread, int policy, int priority, const void* pc) {
  const int kind = policy & ~SCHED_RESET_ON_FORK;
  const bool is_real_time = kind == SCHED_FIFO || kind == SCHED_RR;
  if (!is_real_time && kind != SCHED_OTHER && kind != SCHED_BATCH &&
      kind != SCHED_IDLE) {
    return EINVAL;
  }
  if (is_real_time ? priority < 1 || priority > 99 : priority != 0) {
    return EINVAL;
  }
  if (is_real_time && !may_be_real_time(priority)) return EPERM;
  visit(thread, true, pc, [&](ThreadSettings& its) {
    its.policy = policy;
    its.priority = priority;
  });
  return 0;
}

int set_niceness(ThreadId thread, int wanted, const void* pc) {
  const int niceness = std::clamp(wanted, -20, 19);
  int error = 0;
  visit(thread, true, pc, [&](ThreadSettings& its) {
    if (niceness < its.niceness && !may_go_down_to(niceness)) {
      error = EACCES;
    } else {
      its.niceness = niceness;
    }
  });
  return error;
}

// Only processors that the process may use.
int bind(ThreadId thread, std::size_t bytes, const cpu_set_t* set,
         const void* pc) {
  cpu_set_t wanted = {}, possible = first_settings().processors;
  memcpy(&wanted, set, std::min(bytes, sizeof(wanted)));
  CPU_AND(&wanted, &wanted, &possible);
  if (CPU_COUNT(&wanted) == 0) return EINVAL;
  visit(thread, true, pc, [&](ThreadSettings& its) {
    its.processors = wanted;
    its.is_bound = true;
  });
  return 0;
}

void tell_bytes(const void* at, std::size_t bytes, bool writes,
                const void* pc) {
  if (!is_seen(number_of(pc))) return;
  tell_before(number_of(pc), [&](Ranges& to) {
    writes ? to.writes(at, bytes) : to.reads(at, bytes);
  });
  if (writes) globals_written(number_of(at), bytes);
}

// Returns how many bytes the kernel fills, or an error below 0.
long get_processors(ThreadId thread, std::size_t bytes, cpu_set_t* set,
                    const void* pc) {
  std::size_t filled = 0;
  {
    const OwnWork own;
    cpu_set_t now = {};
    filled = static_cast<std::size_t>(
        kernel(SYS_sched_getaffinity, {{0, sizeof(now), bits_of(&now)}}));
  }
  if (bytes < filled || bytes % sizeof(long) != 0) return -EINVAL;
  const cpu_set_t its = copy_of(thread, pc).processors;
  tell_bytes(set, filled, true, pc);
  memcpy(set, &its, filled);
  return static_cast<long>(filled);
}

int set_own(int& setting, int value, int* old, const void* pc) {
  note_blind();
  tell_write(old, number_of(pc));
  store(old, setting);
  setting = value;
  return 0;
}

// prctl() of the thread itself.
bool control(const std::uint64_t (&arguments)[6], const void* pc,
             long& answer) {
  constexpr std::size_t kName = sizeof(ThreadSettings::name);
  auto* const text = reinterpret_cast<char*>(arguments[1]);
  answer = 0;
  switch (arguments[0]) {
    case PR_SET_NAME:
      tell_bytes(text, strnlen(text, kName - 1) + 1, false, pc);
      set_name(self(), text, pc);
      return true;
    case PR_GET_NAME:
      tell_bytes(text, kName, true, pc);
      memcpy(text, copy_of(self(), pc).name, kName);
      return true;
    case PR_GET_TIMERSLACK:
      answer = static_cast<long>(copy_of(self(), pc).timer_slack);
      return true;
    case PR_SET_TIMERSLACK:
      visit(self(), true, pc, [&](ThreadSettings& its) {
        its.timer_slack =
            arguments[1] != 0 ? arguments[1] : first_settings().timer_slack;
      });
      return true;
    default:
      return false;
  }
}

// setpriority() and getpriority().
bool prioritise(bool sets, const std::uint64_t (&arguments)[6], const void* pc,
                long& answer) {
  ThreadId thread = 0;
  if (arguments[0] != PRIO_PROCESS || !thread_numbered(arguments[1], thread)) {
    return false;
  }
  answer = sets ? -set_niceness(thread, static_cast<int>(arguments[2]), pc)
                : 20 - copy_of(thread, pc).niceness;
  return true;
}

// sched_setscheduler() and its kin.
bool schedule_by_call(long number, const std::uint64_t (&arguments)[6],
                      const void* pc, long& answer) {
  ThreadId thread = 0;
  if (!thread_numbered(arguments[0], thread)) return false;
  const bool has_policy = number == SYS_sched_setscheduler;
  auto* const parameter =
      reinterpret_cast<sched_param*>(arguments[has_policy ? 2 : 1]);
  switch (number) {
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
      tell_read(parameter, number_of(pc));
      answer = -set_scheduling(thread,
                               has_policy ? static_cast<int>(arguments[1])
                                          : copy_of(thread, pc).policy,
                               parameter->sched_priority, pc);
      return true;
    case SYS_sched_getscheduler:
      answer = copy_of(thread, pc).policy;
      return true;
    default:
      tell_write(parameter, number_of(pc));
      store(parameter, sched_param{copy_of(thread, pc).priority});
      answer = 0;
      return true;
  }
}

std::uint64_t bits(const void* pointer) {
  return number_of(pointer);
}
std::uint64_t bits(unsigned long number) {
  return number;
}
std::uint64_t bits(int number) {
  return static_cast<std::uint64_t>(number);
}
std::uint64_t bits(unsigned number) {
  return number;
}

// As functions of the C library tell it.
template <typename... Arguments>
int answer_of(long number, const char* otherwise, const void* pc,
              Arguments... given) {
  const std::uint64_t arguments[6] = {bits(given)...};
  long answer = 0;
  if (!settings_by_call(number, arguments, pc, answer)) {
    not_supported(pc, otherwise);
  }
  if (answer >= 0) return static_cast<int>(answer);
  errno = static_cast<int>(-answer);
  return -1;
}

}  // namespace

ThreadSettings& my_settings() {
  return settings_at(self());
}

unsigned my_processor() {
  const ThreadSettings& mine = settings_now[self()];
  if (mine.run != run_number || !mine.is_bound) return 0;
  unsigned first = 0;
  while (!CPU_ISSET(first, &mine.processors)) ++first;
  return first;
}

std::uint64_t settings_of(ThreadId thread) {
  const ThreadSettings& its = settings_now[thread];
  if (its.run != run_number) return 0;
  std::uint64_t hash = mix(static_cast<unsigned>(its.cancel_state),
                           static_cast<unsigned>(its.cancel_type));
  for (const char c : its.name) {
    hash = mix(hash, static_cast<unsigned char>(c));
  }
  hash = mix(hash, mix(static_cast<unsigned>(its.policy),
                       static_cast<unsigned>(its.priority)));
  hash = mix(hash, mix(static_cast<unsigned>(its.niceness), its.timer_slack));
  std::uint64_t words[sizeof(cpu_set_t) / sizeof(std::uint64_t)];
  memcpy(words, &its.processors, sizeof(words));
  for (const std::uint64_t word : words) hash = mix(hash, word);
  return hash;
}

void inherit_settings(ThreadId thread) {
  // If nothing was set, all begin as the process did.
  if (settings_now[self()].run != run_number) {
    settings_now[thread].run = 0;
    return;
  }
  ThreadSettings& its = settings_now[thread];
  its = settings_now[self()];
  its.cancel_state = PTHREAD_CANCEL_ENABLE;
  its.cancel_type = PTHREAD_CANCEL_DEFERRED;
  its.signal_stack = {};
  its.signal_stack.ss_flags = SS_DISABLE;
}

bool settings_by_call(long number, const std::uint64_t (&arguments)[6],
                      const void* pc, long& answer) {
  ThreadId thread = 0;
  switch (number) {
    case SYS_prctl:
      return control(arguments, pc, answer);
    case SYS_setpriority:
    case SYS_getpriority:
      return prioritise(number == SYS_setpriority, arguments, pc, answer);
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_sched_getscheduler:
    case SYS_sched_getparam:
      return schedule_by_call(number, arguments, pc, answer);
    case SYS_sched_getaffinity:
      if (!thread_numbered(arguments[0], thread)) return false;
      answer = get_processors(thread, arguments[1],
                              reinterpret_cast<cpu_set_t*>(arguments[2]), pc);
      return true;
    case SYS_sched_setaffinity: {
      if (!thread_numbered(arguments[0], thread)) return false;
      const auto* set = reinterpret_cast<const cpu_set_t*>(arguments[2]);
      tell_bytes(set, arguments[1], false, pc);
      answer = -bind(thread, arguments[1], set, pc);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

#define PLUMB_PC __builtin_return_address(0)

PLUMB_STAND_IN(int, pthread_setname_np, (pthread_t name, const char* text)) {
  if (!active) return real_pthread_setname_np(name, text);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads_text(text); });
  }
  if (strlen(text) >= sizeof(ThreadSettings::name)) return ERANGE;
  return set_name(thread, text, PLUMB_PC);
}

PLUMB_STAND_IN(int, pthread_getname_np,
               (pthread_t name, char* text, size_t size)) {
  if (!active) return real_pthread_getname_np(name, text, size);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  if (size < sizeof(ThreadSettings::name)) return ERANGE;
  const ThreadSettings its = copy_of(thread, PLUMB_PC);
  const size_t bytes = strlen(its.name) + 1;
  tell_bytes(text, bytes, true, PLUMB_PC);
  memcpy(text, its.name, bytes);
  return 0;
}

PLUMB_STAND_IN(int, pthread_setaffinity_np,
               (pthread_t name, size_t bytes, const cpu_set_t* set)) {
  if (!active) return real_pthread_setaffinity_np(name, bytes, set);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  tell_bytes(set, bytes, false, PLUMB_PC);
  return bind(thread, bytes, set, PLUMB_PC);
}

PLUMB_STAND_IN(int, pthread_getaffinity_np,
               (pthread_t name, size_t bytes, cpu_set_t* set)) {
  if (!active) return real_pthread_getaffinity_np(name, bytes, set);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  const long filled = get_processors(thread, bytes, set, PLUMB_PC);
  if (filled < 0) return static_cast<int>(-filled);
  const auto done = static_cast<size_t>(filled);
  tell_bytes(set, bytes, true, PLUMB_PC);
  memset(reinterpret_cast<char*>(set) + done, 0, bytes - done);
  return 0;
}

PLUMB_STAND_IN(int, pthread_setschedparam,
               (pthread_t name, int policy, const sched_param* parameter)) {
  if (!active) return real_pthread_setschedparam(name, policy, parameter);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  tell_read(parameter, PLUMB_PC_NUMBER);
  return set_scheduling(thread, policy, parameter->sched_priority, PLUMB_PC);
}

PLUMB_STAND_IN(int, pthread_setschedprio, (pthread_t name, int priority)) {
  if (!active) return real_pthread_setschedprio(name, priority);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  const int policy = copy_of(thread, PLUMB_PC).policy;
  return set_scheduling(thread, policy, priority, PLUMB_PC);
}

PLUMB_STAND_IN(int, pthread_getschedparam,
               (pthread_t name, int* policy, sched_param* parameter)) {
  if (!active) return real_pthread_getschedparam(name, policy, parameter);
  ThreadId thread = 0;
  if (!thread_called(name, thread)) return ESRCH;
  const ThreadSettings its = copy_of(thread, PLUMB_PC);
  tell_write(policy, PLUMB_PC_NUMBER);
  tell_write(parameter, PLUMB_PC_NUMBER);
  store(policy, its.policy);
  store(parameter, sched_param{its.priority});
  return 0;
}

PLUMB_STAND_IN(int, pthread_getcpuclockid,
               (pthread_t name, clockid_t* clock_id)) {
  if (!active) return real_pthread_getcpuclockid(name, clock_id);
  tell_write(clock_id, PLUMB_PC_NUMBER);
  store(clock_id, clockid_t{CLOCK_THREAD_CPUTIME_ID});
  return 0;
}

PLUMB_STAND_IN(int, pthread_setcancelstate, (int state_, int* old)) {
  if (!active) return real_pthread_setcancelstate(state_, old);
  if (state_ != PTHREAD_CANCEL_ENABLE && state_ != PTHREAD_CANCEL_DISABLE) {
    return EINVAL;
  }
  return set_own(my_settings().cancel_state, state_, old, PLUMB_PC);
}

PLUMB_STAND_IN(int, pthread_setcanceltype, (int type, int* old)) {
  if (!active) return real_pthread_setcanceltype(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) {
    return EINVAL;
  }
  return set_own(my_settings().cancel_type, type, old, PLUMB_PC);
}

// Nobody is ever cancelled.
PLUMB_STAND_IN(void, pthread_testcancel, ()) {
  if (!active) real_pthread_testcancel();
}

// Functions of the C library for the system calls above.

PLUMB_STAND_IN(int, setpriority, (int which, id_t who, int value)) {
  if (!active) return real_setpriority(which, who, value);
  return answer_of(SYS_setpriority, "setpriority() for several threads",
                   PLUMB_PC, which, who, value);
}
PLUMB_STAND_IN(int, getpriority, (int which, id_t who)) {
  if (!active) return real_getpriority(which, who);
  return 20 - answer_of(SYS_getpriority, "getpriority() for several threads",
                        PLUMB_PC, which, who);
}
PLUMB_STAND_IN(int, nice, (int more)) {
  if (!active) return real_nice(more);
  const int wanted = copy_of(self(), PLUMB_PC).niceness + more;
  if (const int error = set_niceness(self(), wanted, PLUMB_PC); error != 0) {
    errno = EPERM;
    return -1;
  }
  return my_settings().niceness;
}
PLUMB_STAND_IN(int, sched_setscheduler,
               (pid_t who, int policy, const sched_param* parameter)) {
  if (!active) return real_sched_setscheduler(who, policy, parameter);
  return answer_of(SYS_sched_setscheduler, "sched_setscheduler() for others",
                   PLUMB_PC, who, policy, parameter);
}
PLUMB_STAND_IN(int, sched_getscheduler, (pid_t who)) {
  if (!active) return real_sched_getscheduler(who);
  return answer_of(SYS_sched_getscheduler, "sched_getscheduler() for others",
                   PLUMB_PC, who);
}
PLUMB_STAND_IN(int, sched_setparam, (pid_t who, const sched_param* parameter)) {
  if (!active) return real_sched_setparam(who, parameter);
  return answer_of(SYS_sched_setparam, "sched_setparam() for others", PLUMB_PC,
                   who, parameter);
}
PLUMB_STAND_IN(int, sched_getparam, (pid_t who, sched_param* parameter)) {
  if (!active) return real_sched_getparam(who, parameter);
  return answer_of(SYS_sched_getparam, "sched_getparam() for others", PLUMB_PC,
                   who, parameter);
}
PLUMB_STAND_IN(int, sched_setaffinity,
               (pid_t who, size_t bytes, const cpu_set_t* set)) {
  if (!active) return real_sched_setaffinity(who, bytes, set);
  return answer_of(SYS_sched_setaffinity, "sched_setaffinity() for others",
                   PLUMB_PC, who, bytes, set);
}
PLUMB_STAND_IN(int, sched_getaffinity,
               (pid_t who, size_t bytes, cpu_set_t* set)) {
  if (!active) return real_sched_getaffinity(who, bytes, set);
  const int filled =
      answer_of(SYS_sched_getaffinity, "sched_getaffinity() for others",
                PLUMB_PC, who, bytes, set);
  if (filled < 0) return filled;
  const auto done = static_cast<size_t>(filled);
  tell_bytes(set, bytes, true, PLUMB_PC);
  memset(reinterpret_cast<char*>(set) + done, 0, bytes - done);
  return 0;
}
extern "C" int stand_in_prctl(int what, ...) asm("prctl");
int stand_in_prctl(int what, ...) {
  std::uint64_t arguments[6] = {static_cast<std::uint64_t>(what)};
  va_list list;
  va_start(list, what);
  for (int i = 1; i < 5; ++i) arguments[i] = va_arg(list, unsigned long);
  va_end(list);
  return static_cast<int>(system_call(SYS_prctl, arguments, PLUMB_PC));
}
