// SPDX-License-Identifier: Apache-2.0
#include "runtime/broken_pipes.h"

#include <poll.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/crash.h"
#include "runtime/signals.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

constinit struct sigaction before = {};
constinit bool catching = false;
constinit std::uint32_t writing = 0;  // the execution that does

[[noreturn]] void tell_default() {
  fail(Fault::kCrash, 0,
       "the program is ended by signal %d: it writes where nobody reads",
       SIGPIPE);
}

[[noreturn]] void tell_handled() {
  fail(Fault::kUnsupported, 0,
       "a handler of the test's for SIGPIPE, which the C library caused, is "
       "not supported");
}

bool is_broken(int file) {
  pollfd one = {file, POLLOUT, 0};
  const timespec at_once = {0, 0};
  kernel(SYS_ppoll, {{bits_of(&one), 1, bits_of(&at_once), 0, 0}});
  return (one.revents & POLLERR) != 0;
}

// Those who read what the tool says have gone: that is nothing of the test's.
bool nobody_listens() {
  return is_broken(STDOUT_FILENO) || is_broken(STDERR_FILENO);
}

void end_process() {
  sigaction(SIGPIPE, &before, nullptr);
  kernel(SYS_kill, {{static_cast<std::uint64_t>(getpid()), SIGPIPE}});
}

void handle(int, siginfo_t*, void* context) {
  if (writing == run_number) return;
  if (nobody_listens()) return end_process();
  if (!active && !in_library) return;  // while things are put back
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const bool was_active = active;
  active = false;
  switch (disposition_of(SIGPIPE)) {
    case Disposition::kIgnored:
      active = was_active;
      return;
    case Disposition::kDefault:
      in_library = false;
      return go_on_in(tell_default, registers);
    case Disposition::kHandled:
      in_library = false;
      return go_on_in(tell_handled, registers);
  }
}

}  // namespace

void catch_broken_pipes() {
  if (catching) return;
  catching = true;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, &before);
}

void stop_catching_broken_pipes() {
  if (!catching) return;
  catching = false;
  sigaction(SIGPIPE, &before, nullptr);
}

const struct sigaction& first_action_for_pipes() {
  return before;
}

Writing::Writing() {
  writing = active ? run_number : 0;
}
Writing::~Writing() {
  writing = 0;
}

ssize_t after_write(ssize_t result, int file, const void* pc) {
  if (result >= 0 || errno != EPIPE || !active) return result;
  if (file == STDOUT_FILENO || file == STDERR_FILENO) end_process();
  signal_thread(true, SIGPIPE, pc);
  errno = EPIPE;
  return result;
}

}  // namespace plumb::runtime
