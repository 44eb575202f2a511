// SPDX-License-Identifier: Apache-2.0
#include "runtime/patience.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/budget.h"
#include "runtime/audit_objects.h"
#include "runtime/audit_signals.h"
#include "runtime/call_waits.h"
#include "runtime/core.h"
#include "runtime/crash.h"
#include "runtime/fibers.h"
#include "runtime/touch.h"

namespace plumb::runtime {

constinit bool ticked = false;
constinit Left left = Left::kNot;
constinit std::uintptr_t spoilt_at = 0;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPeriod = kSecond / 20;
// So long a thread may take for a step: of processor time, else it may go on
// for ever; of real time, else it waits for something that does not come.
constexpr std::int64_t kMostWork = 5 * kSecond;
constexpr std::int64_t kMostTime = 10 * kSecond;
// Nobody else of the test can end the wait.
constexpr std::int64_t kMostTimeTogether = 3 * kSecond;
// Who does less work than this part of the time waits: others may keep the
// processor busy.
constexpr std::int64_t kBusy = 50;
// Those who look at the interrupt themselves have so long.
constexpr std::int64_t kGrace = 6 * kPeriod;
// At a limit: who has taken longer for a step would go on.
constexpr std::int64_t kLostAfter = 4 * kPeriod;

constinit bool ticking = false;
constinit bool forbidden = false;
constinit timer_t timer = {};
constinit struct sigaction before = {};
constinit std::int64_t latest_end = INT64_MAX;
constinit std::int64_t interrupted_at = INT64_MAX;

// The step that runs, and since when.
struct Step {
  std::uint32_t run = 0, number = 0;
  std::int64_t work = 0, time = 0;
};
constinit Step step;

std::int64_t read(clockid_t clock_id) {
  timespec now = {};
  clock_gettime(clock_id, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

[[noreturn]] void leave_late() {
  leave_execution();
}

[[noreturn]] void leave_working() {
  left = Left::kLong;
  fail(Fault::kUnsupported, 0,
       "a thread ran for %ld s without a step that others could see; does it "
       "come to an end?",
       static_cast<long>(kMostWork / kSecond));
}

std::int64_t most_time() {
  return alone() ? kMostTime : kMostTimeTogether;
}

// The call that it waits in.
constinit const char* waits_in = nullptr;

// Calls that a signal has interrupted are to be made again: the instruction
// comes next.
const char* call_at(const greg_t* registers) {
  constexpr unsigned char kCall[] = {0x0f, 0x05};
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (code[0] != kCall[0] || code[1] != kCall[1]) return nullptr;
  return name_of_call(registers[REG_RAX]);
}

[[noreturn]] void leave_waiting() {
  left = Left::kLong;
  const long seconds = static_cast<long>(most_time() / kSecond);
  if (waits_in == nullptr) {
    fail(Fault::kUnsupported, 0,
         "a thread waited for %ld s in code that is not under control",
         seconds);
  }
  fail(Fault::kUnsupported, 0,
       "a thread waited for %ld s in the system call '%s', made by code that "
       "is not under control",
       seconds, waits_in);
}

void leave(void (*how)(), greg_t* registers) {
  note_left_at(static_cast<std::uintptr_t>(registers[REG_RIP]));
  go_on_in(how, registers);
}

void look(greg_t* registers) {
  const std::int64_t time = read(CLOCK_MONOTONIC);
  const std::int64_t work = read(CLOCK_THREAD_CPUTIME_ID);
  if (!Budget::interrupted) {
    interrupted_at = INT64_MAX;
  } else if (interrupted_at == INT64_MAX) {
    interrupted_at = time;
  }
  if (step.run != run_number || step.number != state.steps) {
    step = {run_number, state.steps, work, time};
  }
  if (time > latest_end || time - kGrace > interrupted_at) {
    const bool is_lost = left == Left::kLost || time - step.time > kLostAfter;
    left = is_lost ? Left::kLost : Left::kLate;
    leave(leave_late, registers);
  } else if (work - step.work > kMostWork) {
    leave(leave_working, registers);
  } else if (time - step.time > most_time() &&
             work - step.work < (time - step.time) / kBusy) {
    waits_in = call_at(registers);
    leave(leave_waiting, registers);
  }
}

void on_tick(int, siginfo_t*, void* context) {
  ticked = true;
  if (!active && !in_library) return;
  const int error = errno;
  const bool was_active = active, was_in_library = in_library;
  active = in_library = false;
  look(static_cast<ucontext_t*>(context)->uc_mcontext.gregs);
  active = was_active;
  in_library = was_in_library;
  errno = error;
}

}  // namespace

void note_left_at(std::uintptr_t pc) {
  if (owner_of_code(pc) == CodeOwner::kSystem) spoilt_at = pc;
}

MayBeLeft::MayBeLeft() : was_(in_library) {
  in_library = true;
  const std::uint64_t ticks = std::uint64_t{1} << (SIGVTALRM - 1);
  kernel(SYS_rt_sigprocmask,
         {{SIG_UNBLOCK, bits_of(&ticks), bits_of(&mask_), 8}});
}

MayBeLeft::~MayBeLeft() {
  kernel(SYS_rt_sigprocmask, {{SIG_SETMASK, bits_of(&mask_), 0, 8}});
  in_library = was_;
}

WithoutTicks::WithoutTicks() {
  const std::uint64_t ticks = std::uint64_t{1} << (SIGVTALRM - 1);
  kernel(SYS_rt_sigprocmask,
         {{SIG_BLOCK, bits_of(&ticks), bits_of(&mask_), 8}});
}

WithoutTicks::~WithoutTicks() {
  kernel(SYS_rt_sigprocmask, {{SIG_SETMASK, bits_of(&mask_), 0, 8}});
}

LatestEnd::LatestEnd(Clock::time_point moment) : before_(latest_end) {
  const auto since_start = moment.time_since_epoch();
  latest_end = std::min<std::int64_t>(
      latest_end,
      std::chrono::duration_cast<std::chrono::nanoseconds>(since_start)
          .count());
}

LatestEnd::~LatestEnd() {
  latest_end = before_;
}

void start_ticks() {
  if (forbidden) return;
  struct sigaction action = {};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGVTALRM, &action, ticking ? nullptr : &before);
  ticking = true;
  // Of this thread: libraries may have others.
  sigevent how = {};
  how.sigev_notify = SIGEV_THREAD_ID;
  how.sigev_signo = SIGVTALRM;
  how._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &how, &timer) != 0) return;
  const itimerspec period = {{0, kPeriod}, {0, kPeriod}};
  timer_settime(timer, 0, &period, nullptr);
}

void stop_ticks() {
  if (!ticking) return;
  ticking = false;
  timer_delete(timer);
  sigaction(SIGVTALRM, &before, nullptr);
}

void forbid_ticks() {
  forbidden = true;
}

}  // namespace plumb::runtime
