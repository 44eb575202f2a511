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
#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/crash.h"
#include "runtime/fibers.h"
#include "runtime/touch.h"

namespace plumb::runtime {

constinit bool ticked = false;
constinit Left left = Left::kNot;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPeriod = kSecond / 20;
// So long a thread may take for a step: of processor time, else it may go on
// for ever; of real time, else it waits for something that does not come.
constexpr std::int64_t kMostWork = 5 * kSecond;
constexpr std::int64_t kMostTime = 10 * kSecond;
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

[[noreturn]] void leave_long(bool waits) {
  left = Left::kLong;
  fail(Fault::kUnsupported, 0,
       waits ? "a thread waited for %ld s in code that is not under control"
             : "a thread ran for %ld s without a step that others could see; "
               "does it come to an end?",
       static_cast<long>((waits ? kMostTime : kMostWork) / kSecond));
}
[[noreturn]] void leave_working() {
  leave_long(false);
}
[[noreturn]] void leave_waiting() {
  leave_long(true);
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
    go_on_in(leave_late, registers);
  } else if (work - step.work > kMostWork) {
    go_on_in(leave_working, registers);
  } else if (time - step.time > kMostTime &&
             work - step.work < (time - step.time) / kBusy) {
    go_on_in(leave_waiting, registers);
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
