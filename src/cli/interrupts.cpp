// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupts.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <system_error>

#include "base/budget.h"
#include "cli/common.h"

namespace plumb::cli {

namespace {

// Everything here may be called by signal handlers.
void say(const char* text) {
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, text, std::strlen(text));
}

long milliseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

volatile std::sig_atomic_t first = 0;  // signal
volatile long first_wall = 0, first_cpu = 0;

// timeout(1) sends each signal twice, so at once does not count as again.
void interrupt(int signal) {
  if (!Budget::interrupted.exchange(true)) {
    first_wall = milliseconds(CLOCK_MONOTONIC);
    first_cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    first = signal;
    alarm(1);
  } else if (first != 0 && milliseconds(CLOCK_MONOTONIC) > first_wall + 1500) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

// On a machine that has much to do a second is not long: what counts is the
// work that was done in it, unless it waits for somebody.
void look_at_clock(int) {
  const long wall = milliseconds(CLOCK_MONOTONIC) - first_wall;
  const long cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - first_cpu;
  constexpr long kBusy = 900, kLongest = 3000;
  if (!Budget::saving && (cpu >= kBusy || wall >= kLongest)) {
    say("plumb: interrupted; what was not told yet is lost\n");
    _exit(kExitInterrupted);
  }
  alarm(1);
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) == 0 &&
      action.sa_handler == SIG_IGN) {
    return;  // nohup, or a shell that works in the background
  }
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// What escapes everybody who is ready for it: before main(), or in a thread.
[[noreturn]] void end() {
  try {
    if (const auto failure = std::current_exception()) {
      std::rethrow_exception(failure);
    }
  } catch (const std::bad_alloc&) {
    say("plumb: unknown: the machine has no more memory\n"
        "hint: --memory-limit ends a run before that\n");
    _exit(kExitUnknown);
  } catch (const std::system_error& error) {
    say("plumb: unknown: ");
    say(error.what());
    say("\n");
    _exit(kExitUnknown);
  } catch (const std::exception& error) {
    say("plumb: internal error: ");
    say(error.what());
    say("\n");
  } catch (...) {
    say("plumb: internal error\n");
  }
  std::abort();
}

// Before anything else of ours is made.
__attribute__((constructor(101))) void prepare_for_the_end() {
  std::set_terminate(end);
}

}  // namespace

void handle_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) install(signal, interrupt);
  install(SIGALRM, look_at_clock);
}

}  // namespace plumb::cli
