// SPDX-License-Identifier: Apache-2.0
#include "runtime/refused_calls.h"

#include <sys/syscall.h>

#include "runtime/audit.h"
#include "runtime/call_waits.h"
#include "runtime/core.h"
#include "runtime/crash.h"
#include "runtime/patience.h"

namespace plumb::runtime {
namespace {

constinit const char* refused = nullptr;
constinit std::uintptr_t refused_at = 0;
constinit bool waits = false;

[[noreturn]] void tell_refused() {
  active = false;
  note_left_at(refused_at);
  fail(Fault::kUnsupported, refused_at,
       waits ? "a thread waits in the system call '%s', made by code that "
               "nobody stands in for: others cannot go on"
             : "the system call '%s', by code that nobody stands in for, is "
               "not supported",
       refused);
}

// Processes and programs that nobody sees.
const char* name_of_process_call(long number) {
  switch (number) {
    case SYS_fork:
      return "fork";
    case SYS_vfork:
      return "vfork";
    case SYS_clone:
      return "clone";
    case SYS_clone3:
      return "clone3";
    case SYS_execve:
      return "execve";
    case SYS_execveat:
      return "execveat";
    default:
      return nullptr;
  }
}

// Signals that come at any moment, and handlers of the kernel's.
const char* name_of_signal_call(long number,
                                const std::uint64_t (&arguments)[6]) {
  switch (number) {
    case SYS_kill:
      return arguments[1] != 0 ? "kill" : nullptr;
    case SYS_tkill:
      return arguments[1] != 0 ? "tkill" : nullptr;
    case SYS_tgkill:
      return arguments[2] != 0 ? "tgkill" : nullptr;
    case SYS_rt_sigqueueinfo:
      return "rt_sigqueueinfo";
    case SYS_rt_tgsigqueueinfo:
      return "rt_tgsigqueueinfo";
    case SYS_rt_sigaction:
      return arguments[1] != 0 ? "rt_sigaction" : nullptr;
    case SYS_rt_sigsuspend:
      return "rt_sigsuspend";
    case SYS_rt_sigtimedwait:
      return "rt_sigtimedwait";
    case SYS_pause:
      return "pause";
    case SYS_alarm:
      return arguments[0] != 0 ? "alarm" : nullptr;
    case SYS_setitimer:
      return "setitimer";
    case SYS_timer_create:
      return "timer_create";
    case SYS_signalfd:
    case SYS_signalfd4:
      return "signalfd";
    default:
      return nullptr;
  }
}

bool is_refused(long number, const std::uint64_t (&arguments)[6],
                std::uintptr_t pc) {
  waits = false;
  refused = name_of_process_call(number);
  if (refused == nullptr) refused = name_of_signal_call(number, arguments);
  if (refused == nullptr && !alone()) {
    if (audit::on) audit_open_all();  // for what it looks at
    waits = would_wait(number, arguments);
    if (audit::on) audit_close_all();
  }
  if (waits) refused = name_of_call(number);
  refused_at = pc;
  return refused != nullptr;
}

}  // namespace

bool refuse_call(long number, const std::uint64_t (&arguments)[6],
                 greg_t* registers) {
  const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (!is_refused(number, arguments, pc)) return false;
  go_on_in(tell_refused, registers);
  return true;
}

void require_supported(long number, const std::uint64_t (&arguments)[6],
                       std::uintptr_t pc) {
  if (is_refused(number, arguments, pc)) tell_refused();
}

}  // namespace plumb::runtime
