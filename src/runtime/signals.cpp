// SPDX-License-Identifier: Apache-2.0
#include "runtime/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "runtime/broken_pipes.h"
#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/loops.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"
#include "runtime/thread_settings.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

PLUMB_REAL(raise);
PLUMB_REAL(kill);
PLUMB_REAL(sigaction);
PLUMB_REAL(signal);
PLUMB_REAL(sigprocmask);
PLUMB_REAL(pthread_sigmask);
PLUMB_REAL(sigpending);
PLUMB_REAL(sigsuspend);
PLUMB_REAL(sigwait);
PLUMB_REAL(sigwaitinfo);
PLUMB_REAL(sigtimedwait);
PLUMB_REAL(sigaltstack);
PLUMB_REAL(pause);
PLUMB_REAL(alarm);
PLUMB_REAL(ualarm);
PLUMB_REAL(setitimer);
PLUMB_REAL(timer_create);

constexpr int kAutoDisarm = static_cast<int>(1u << 31);
constexpr int kSignals = 65;  // from 1 on
using Mask = std::uint64_t;   // bit n - 1 is signal n, as in the kernel's

constexpr Mask bit_of(int signal) {
  return Mask{1} << (signal - 1);
}
constexpr bool is_signal(int signal) {
  return signal > 0 && signal < kSignals;
}

// What the test has set, in this execution.
struct Actions {
  std::uint32_t run = 0;
  bool is_set[kSignals] = {};
  struct sigaction action[kSignals] = {};
};
constinit Actions actions;

struct Blocked {
  std::uint32_t run = 0;
  Mask mask = 0;
  Mask pending = 0;
};
constinit Blocked blocked_of[sched::kMaxThreads];

Blocked& blocked(ThreadId thread) {
  Blocked& out = blocked_of[thread];
  if (out.run != run_number) out = {run_number, 0, 0};
  return out;
}
Blocked& mine() {
  return blocked(self());
}
bool is_blocked(ThreadId thread, int signal) {
  return signal != SIGKILL && signal != SIGSTOP &&
         (blocked(thread).mask & bit_of(signal));
}

Mask mask_of(const sigset_t& set) {
  Mask out = 0;
  memcpy(&out, &set, sizeof(out));
  return out;
}

// The runtime and the harness have handlers of their own for some.
bool is_ours(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGALRM:
    case SIGVTALRM:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
      return true;
    default:
      return false;
  }
}

struct sigaction action_of(int signal) {
  struct sigaction out = {};
  out.sa_handler = SIG_DFL;
  if (is_handled_by_test(signal)) return actions.action[signal];
  if (signal == SIGPIPE) return first_action_for_pipes();
  if (!is_ours(signal)) real_sigaction(signal, nullptr, &out);
  return out;
}

bool is_ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH ||
         signal == SIGCONT;
}
bool stops_by_default(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
         signal == SIGTTOU;
}

bool is_ignored(const struct sigaction& action, int signal) {
  return action.sa_handler == SIG_IGN ||
         (action.sa_handler == SIG_DFL && is_ignored_by_default(signal));
}

// Whoever gets it: nobody handles it.
void do_default(int signal, const void* pc) {
  if (stops_by_default(signal)) not_supported(pc, "to stop by a signal");
  fail(signal == SIGABRT ? Fault::kAssertion : Fault::kCrash, number_of(pc),
       "the program ends itself by signal %d (%s)", signal,
       sigdescr_np(signal) ? sigdescr_np(signal) : "a signal of real time");
}

void deliver(int signal, const void* pc);

void deliver_pending(const void* pc) {
  for (Blocked& own = mine(); own.pending & ~own.mask;) {
    const int signal = __builtin_ctzll(own.pending & ~own.mask) + 1;
    own.pending &= ~bit_of(signal);
    deliver(signal, pc);
  }
}

void call(const struct sigaction& action, int signal) {
  if (action.sa_flags & SA_SIGINFO) {
    siginfo_t info = {};
    info.si_signo = signal;
    info.si_code = SI_TKILL;
    info.si_pid = getpid();
    ucontext_t context = {};
    action.sa_sigaction(signal, &info, &context);
  } else {
    action.sa_handler(signal);
  }
}

void deliver(int signal, const void* pc) {
  note_blind();
  Blocked& own = mine();
  if (is_blocked(self(), signal)) {
    own.pending |= bit_of(signal);
    return;
  }
  const struct sigaction action = action_of(signal);
  if (is_ignored(action, signal)) return;
  if (action.sa_handler == SIG_DFL) return do_default(signal, pc);
  if (static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) {
    actions.action[signal].sa_handler = SIG_DFL;
  }
  const Mask before = own.mask;
  own.mask |= mask_of(action.sa_mask);
  if (!(action.sa_flags & SA_NODEFER)) own.mask |= bit_of(signal);
  call(action, signal);
  own.mask = before;
  deliver_pending(pc);
}

// Which handlers there are depends on the order of those who set them.
void look_at_handlers(bool writes, const void* pc) {
  Turn turn(sync_event(writes ? Kind::kUpdate : Kind::kRead, kSignalHandlers,
                       writes, pc));
  turn.done();
}

int send(int signal, const void* pc) {
  if (signal == 0) return 0;
  if (!is_signal(signal)) return EINVAL;
  look_at_handlers(false, pc);
  deliver(signal, pc);
  return 0;
}

int fail_with(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int set_action(int signal, const struct sigaction* action,
               struct sigaction* old, const void* pc) {
  if (!is_signal(signal)) return EINVAL;
  if (action && (signal == SIGKILL || signal == SIGSTOP)) return EINVAL;
  note_blind();
  tell_read(action, number_of(pc));
  look_at_handlers(action != nullptr, pc);
  const struct sigaction before = action_of(signal);
  if (action) {
    const struct sigaction now = *action;
    if (actions.run != run_number) {
      actions.run = run_number;
      for (bool& is_set : actions.is_set) is_set = false;
    }
    actions.action[signal] = now;
    actions.is_set[signal] = true;
  }
  tell_write(old, number_of(pc));
  store(old, before);
  return 0;
}

// Of a set of signals the kernel knows the first word only.
void tell_set(const sigset_t* set, bool writes, const void* pc) {
  if (set == nullptr || !is_seen(number_of(pc))) return;
  tell_before(number_of(pc), [&](Ranges& to) {
    writes ? to.writes(set, sizeof(Mask)) : to.reads(set, sizeof(Mask));
  });
}

void put_set(sigset_t* set, Mask mask) {
  globals_written(number_of(set), sizeof(mask));
  memcpy(set, &mask, sizeof(mask));
}

int set_mask(int how, const sigset_t* set, sigset_t* old, const void* pc) {
  note_blind();
  tell_set(set, false, pc);
  tell_set(old, true, pc);
  Blocked& own = mine();
  const Mask before = own.mask;
  if (set != nullptr) {
    const Mask given = mask_of(*set) & ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
    switch (how) {
      case SIG_BLOCK:
        own.mask |= given;
        break;
      case SIG_UNBLOCK:
        own.mask &= ~given;
        break;
      case SIG_SETMASK:
        own.mask = given;
        break;
      default:
        return EINVAL;
    }
  }
  if (old != nullptr) put_set(old, before);
  if (set != nullptr) deliver_pending(pc);
  return 0;
}

// One that waits already is taken.
int take_pending(const sigset_t* set, const void* pc, const char* who) {
  note_blind();
  tell_set(set, false, pc);
  Blocked& own = mine();
  const Mask found = own.pending & mask_of(*set);
  if (found == 0) not_supported(pc, who);
  const int signal = __builtin_ctzll(found) + 1;
  own.pending &= ~bit_of(signal);
  return signal;
}

void describe(siginfo_t* info, int signal, const void* pc) {
  if (info == nullptr) return;
  tell_write(info, number_of(pc));
  siginfo_t out = {};
  out.si_signo = signal;
  out.si_code = SI_TKILL;
  store(info, out);
}

}  // namespace

bool is_handled_by_test(int signal) {
  return actions.run == run_number && is_signal(signal) &&
         actions.is_set[signal];
}

Disposition disposition_of(int signal) {
  const struct sigaction action = action_of(signal);
  if (is_ignored(action, signal) || (mine().mask & bit_of(signal))) {
    return Disposition::kIgnored;
  }
  return action.sa_handler == SIG_DFL ? Disposition::kDefault
                                      : Disposition::kHandled;
}

void inherit_mask(ThreadId thread) {
  blocked_of[thread] = {run_number, mine().mask, 0};
}
std::uint64_t signal_mask() {
  return mine().mask;
}
void set_signal_mask(std::uint64_t mask, const void* pc) {
  note_blind();
  mine().mask = mask;
  deliver_pending(pc);
}

namespace {

// It does what it does wherever it comes, or it is not known where it comes:
// when others change their masks, nobody sees.
int signal_others(int signal, bool all_block, const void* pc) {
  if (!is_signal(signal)) return EINVAL;
  look_at_handlers(false, pc);
  const struct sigaction action = action_of(signal);
  if (is_ignored(action, signal)) return 0;
  if (all_block) not_supported(pc, "a signal that another thread blocks");
  if (action.sa_handler == SIG_DFL) do_default(signal, pc);
  not_supported(pc, "a signal to another thread");
}

}  // namespace

int signal_process(int signal, const void* pc) {
  if (alone() || !is_signal(signal)) return send(signal, pc);
  bool all_block = true;
  for (ThreadMask left = state.alive; left != 0; left &= left - 1) {
    all_block &= is_blocked(static_cast<ThreadId>(__builtin_ctz(left)), signal);
  }
  return signal_others(signal, all_block, pc);
}

int signal_thread(ThreadId thread, int signal, const void* pc) {
  if (thread == self() || !is_signal(signal)) return send(signal, pc);
  return signal_others(signal, is_blocked(thread, signal), pc);
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int raise(int signal) noexcept(noexcept(::raise(0))) {
  return active ? fail_with(send(signal, PLUMB_PC)) : real_raise(signal);
}

int kill(pid_t process, int signal) noexcept {
  if (!active || (process > 1 && signal == 0)) {
    return real_kill(process, signal);
  }
  if (process != getpid()) not_supported(PLUMB_PC, "kill() of other processes");
  return fail_with(signal_process(signal, PLUMB_PC));
}

int sigaction(int signal, const struct sigaction* action,
              struct sigaction* old) noexcept {
  if (!active) return real_sigaction(signal, action, old);
  return fail_with(set_action(signal, action, old, PLUMB_PC));
}

sighandler_t signal(int signal, sighandler_t handler) noexcept {
  if (!active) return real_signal(signal, handler);
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  const int error = set_action(signal, &action, &old, PLUMB_PC);
  return fail_with(error) == 0 ? old.sa_handler : SIG_ERR;
}

int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!active) return real_sigprocmask(how, set, old);
  return fail_with(set_mask(how, set, old, PLUMB_PC));
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!active) return real_pthread_sigmask(how, set, old);
  return set_mask(how, set, old, PLUMB_PC);
}

int sigpending(sigset_t* set) noexcept {
  if (!active) return real_sigpending(set);
  note_blind();
  tell_set(set, true, PLUMB_PC);
  put_set(set, mine().pending);
  return 0;
}

int sigwait(const sigset_t* set, int* signal) {
  if (!active) return real_sigwait(set, signal);
  const int taken = take_pending(set, PLUMB_PC, "sigwait()");
  tell_write(signal, PLUMB_PC_NUMBER);
  store(signal, taken);
  return 0;
}

int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!active) return real_sigwaitinfo(set, info);
  const int signal = take_pending(set, PLUMB_PC, "sigwaitinfo()");
  describe(info, signal, PLUMB_PC);
  return signal;
}

int sigtimedwait(const sigset_t* set, siginfo_t* info,
                 const timespec* timeout) {
  if (!active) return real_sigtimedwait(set, info, timeout);
  tell_read(timeout, PLUMB_PC_NUMBER);
  const int signal = take_pending(set, PLUMB_PC, "sigtimedwait()");
  describe(info, signal, PLUMB_PC);
  return signal;
}

int sigsuspend(const sigset_t* set) {
  if (active) not_supported(PLUMB_PC, "sigsuspend()");
  return real_sigsuspend(set);
}

int pause() {
  if (active) not_supported(PLUMB_PC, "pause()");
  return real_pause();
}

// LIMIT: handlers run on the stack of their thread, whatever it is told.
int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  if (!active) return real_sigaltstack(stack, old);
  note_blind();
  tell_read(stack, PLUMB_PC_NUMBER);
  tell_write(old, PLUMB_PC_NUMBER);
  stack_t& mine_now = my_settings().signal_stack;
  const stack_t before = mine_now;
  if (stack != nullptr) {
    constexpr int kKnown = SS_DISABLE | SS_ONSTACK | kAutoDisarm;
    if (stack->ss_flags & ~kKnown) return fail_with(EINVAL);
    const bool is_off = stack->ss_flags & SS_DISABLE;
    constexpr std::size_t kLeast = 2048;
    if (!is_off && stack->ss_size < kLeast) return fail_with(ENOMEM);
    mine_now = *stack;
    mine_now.ss_flags &= ~SS_ONSTACK;
    if (is_off) mine_now.ss_sp = nullptr, mine_now.ss_size = 0;
  }
  store(old, before);
  return 0;
}

unsigned alarm(unsigned seconds) noexcept {
  if (active && seconds != 0) not_supported(PLUMB_PC, "alarm()");
  return active ? 0 : real_alarm(seconds);
}

useconds_t ualarm(useconds_t first, useconds_t then) noexcept {
  if (active) not_supported(PLUMB_PC, "ualarm()");
  return real_ualarm(first, then);
}

int setitimer(__itimer_which_t which, const itimerval* value,
              itimerval* old) noexcept {
  if (active) not_supported(PLUMB_PC, "setitimer()");
  return real_setitimer(which, value, old);
}

int timer_create(clockid_t clock_id, sigevent* event, timer_t* id) noexcept {
  if (active) not_supported(PLUMB_PC, "timer_create()");
  return real_timer_create(clock_id, event, id);
}

}  // extern "C"
