// SPDX-License-Identifier: Apache-2.0
#include "runtime/refused_calls.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/audit.h"
#include "runtime/call_waits.h"
#include "runtime/core.h"
#include "runtime/crash.h"
#include "runtime/file_order.h"
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

struct Named {
  long number;
  const char* name;
};
constexpr Named kLasting[] = {
    {SYS_shmget, "shmget"},
    {SYS_shmat, "shmat"},
    {SYS_semget, "semget"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_msgget, "msgget"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_mq_open, "mq_open"},
    {SYS_setuid, "setuid"},
    {SYS_setgid, "setgid"},
    {SYS_setreuid, "setreuid"},
    {SYS_setregid, "setregid"},
    {SYS_setresuid, "setresuid"},
    {SYS_setresgid, "setresgid"},
    {SYS_setfsuid, "setfsuid"},
    {SYS_setfsgid, "setfsgid"},
    {SYS_setgroups, "setgroups"},
    {SYS_capset, "capset"},
    {SYS_setsid, "setsid"},
    {SYS_setpgid, "setpgid"},
    {SYS_chroot, "chroot"},
    {SYS_pivot_root, "pivot_root"},
    {SYS_mount, "mount"},
    {SYS_umount2, "umount"},
    {SYS_unshare, "unshare"},
    {SYS_setns, "setns"},
    {SYS_sethostname, "sethostname"},
    {SYS_setdomainname, "setdomainname"},
    {SYS_settimeofday, "settimeofday"},
    {SYS_clock_settime, "clock_settime"},
    {SYS_adjtimex, "adjtimex"},
    {SYS_seccomp, "seccomp"},
    {SYS_ptrace, "ptrace"},
    {SYS_userfaultfd, "userfaultfd"},
    {SYS_io_uring_setup, "io_uring_setup"},
    {SYS_io_setup, "io_setup"},
    {SYS_add_key, "add_key"},
    {SYS_keyctl, "keyctl"},
    {SYS_arch_prctl, "arch_prctl"},
    {SYS_modify_ldt, "modify_ldt"},
    {SYS_set_tid_address, "set_tid_address"},
    {SYS_set_robust_list, "set_robust_list"},
    {SYS_get_robust_list, "get_robust_list"},
    {SYS_rseq, "rseq"},
    {SYS_bpf, "bpf"},
    {SYS_perf_event_open, "perf_event_open"},
    {SYS_process_madvise, "process_madvise"},
    {SYS_move_pages, "move_pages"},
    {SYS_remap_file_pages, "remap_file_pages"},
    {SYS_setpriority, "setpriority"},
    {SYS_sched_setscheduler, "sched_setscheduler"},
    {SYS_sched_setparam, "sched_setparam"},
    {SYS_sched_setattr, "sched_setattr"},
    {SYS_sched_setaffinity, "sched_setaffinity"},
    {SYS_futex_waitv, "futex_waitv"},
    {SYS_vmsplice, "vmsplice"},
};
constexpr std::uint64_t kNameMemory = 0x53564d41;  // PR_SET_VMA

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

// What stays in the kernel after an execution, and cannot be put back; or is to
// be done for threads of the test, which the kernel does not know.
const char* name_of_lasting_call(long number,
                                 const std::uint64_t (&arguments)[6]) {
  for (const Named& one : kLasting) {
    if (one.number == number) return one.name;
  }
  if (number != SYS_prctl) return nullptr;
  switch (arguments[0]) {
    case PR_GET_NAME:
    case PR_GET_DUMPABLE:
    case PR_GET_KEEPCAPS:
    case PR_GET_PDEATHSIG:
    case PR_GET_TIMERSLACK:
    case PR_GET_TSC:
    case PR_GET_SECCOMP:
    case PR_GET_SECUREBITS:
    case PR_GET_NO_NEW_PRIVS:
    case PR_GET_CHILD_SUBREAPER:
    case PR_GET_THP_DISABLE:
    case PR_CAPBSET_READ:
    case PR_SET_NAME:  // these are put back
    case PR_SET_DUMPABLE:
    case PR_SET_KEEPCAPS:
    case PR_SET_PDEATHSIG:
    case PR_SET_TIMERSLACK:
    case PR_SET_CHILD_SUBREAPER:
    case PR_SET_THP_DISABLE:
    case kNameMemory:  // nobody reads that
      return nullptr;
    default:
      return "prctl";
  }
}

bool is_refused(long number, const std::uint64_t (&arguments)[6],
                std::uintptr_t pc) {
  waits = false;
  refused = name_of_process_call(number);
  if (refused == nullptr) refused = name_of_signal_call(number, arguments);
  if (refused == nullptr) refused = name_of_lasting_call(number, arguments);
  if (refused == nullptr && moves_mapped_bytes(number, arguments)) {
    refused = "read, write or fallocate of a file that is mapped";
  } else if (refused == nullptr) {
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
