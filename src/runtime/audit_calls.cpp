// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit_calls.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

#include "runtime/audit.h"
#include "runtime/audit_objects.h"
#include "runtime/audit_signals.h"
#include "runtime/audit_unseen.h"
#include "runtime/call_waits.h"
#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/file_order.h"
#include "runtime/left_behind.h"
#include "runtime/mappings.h"
#include "runtime/patience.h"
#include "runtime/refused_calls.h"
#include "runtime/system_calls.h"

extern "C" __attribute__((visibility("hidden"))) void audit_restore();

namespace plumb::runtime {

namespace {

constexpr std::uint64_t kDispatch = 59, kOff = 0, kOn = 1;  // of prctl()
constexpr int kUserDispatch = 2;                            // si_code
constexpr std::uintptr_t kCallBytes = 2;  // the length of `syscall`

constinit bool looks = false;    // calls are stopped
constinit bool watches = false;  // ... and should be as long as a search runs
constinit KernelAction before = {};

bool switch_on() {
  const AddressRange ours = own_library();
  // What the kernel asks for, whether to stop calls, is just what `active` is.
  return kernel(SYS_prctl, {{kDispatch, kOn, ours.begin, ours.end - ours.begin,
                             bits_of(&active)}}) == 0;
}

void switch_off() {
  if (looks) kernel(SYS_prctl, {{kDispatch, kOff}});
  looks = false;
}

CallArguments arguments_of(const greg_t* registers) {
  const auto get = [&](int name) {
    return static_cast<std::uint64_t>(registers[name]);
  };
  return {{get(REG_RDI), get(REG_RSI), get(REG_RDX), get(REG_R10), get(REG_R8),
           get(REG_R9)}};
}

// What the kernel is going to do to memory that is protected.
void add(void* access_, const CallTouch& found) {
  auto& access = *static_cast<UnseenAccess*>(access_);
  if (access.count == UnseenAccess::kMost || !audit_protects(found.address)) {
    return;
  }
  constexpr std::uint64_t kMostBytes = 1 << 20;
  Touch& touch = access.touches[access.count++];
  touch.address = found.address;
  touch.size = static_cast<std::uint32_t>(std::min(found.bytes, kMostBytes));
  touch.reads = !found.writes;
  touch.writes = found.writes;
  touch.exact = found.is_known;
}

// What the runtime itself needs cannot be blocked.
std::uint64_t without_ours(std::uint64_t mask) {
  for (const int signal : {SIGSYS, SIGVTALRM, SIGINT, SIGTERM, SIGSEGV, SIGBUS,
                           SIGTRAP, SIGFPE, SIGILL}) {
    mask &= ~(std::uint64_t{1} << (signal - 1));
  }
  return mask;
}

// Of those that are made often.
bool may_wait(long number) {
  switch (number) {
    case SYS_rt_sigprocmask:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_brk:
    case SYS_close:
    case SYS_gettid:
    case SYS_getpid:
    case SYS_sched_yield:
    case SYS_clock_gettime:
      return false;
    default:
      return true;
  }
}

long kernel_left(long number, const CallArguments& arguments) {
  if (waits_for_a_while(number, arguments.value)) {
    const WithoutTicks without_ticks;  // they would end it
    return kernel(number, arguments);
  }
  const MayBeLeft may_be_left;
  return kernel(number, arguments);
}

// Somebody else's handler ends: from where that is not looked at.
bool is_end_of_handler(long number, greg_t* registers) {
  if (number != SYS_rt_sigreturn) return false;
  registers[REG_RIP] =
      static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&audit_restore));
  return true;
}

long perform(long number, const CallArguments& arguments, std::uintptr_t pc) {
  long mapped = 0;
  if (owner_of_code(pc) == CodeOwner::kTest &&
      map_by_call(number, arguments, pc, mapped)) {
    return mapped;
  }
  return make_call(number, arguments);
}

void handle_watched(int, siginfo_t* info, void* context_) {
  auto* const registers = static_cast<ucontext_t*>(context_)->uc_mcontext.gregs;
  if (info->si_code != kUserDispatch) return;
  const bool was_active = active;
  active = false;
  const long number = info->si_syscall;
  const CallArguments arguments = arguments_of(registers);
  if (!is_end_of_handler(number, registers) &&
      !refuse_call(number, arguments.value, registers)) {
    registers[REG_RAX] =
        perform(number, arguments,
                static_cast<std::uintptr_t>(registers[REG_RIP]) - kCallBytes);
  }
  active = was_active;
}

}  // namespace

long make_call(long number, const CallArguments& arguments) {
  before_call(number, arguments.value);
  order_before_call(number, arguments.value);
  CallArguments made = arguments;
  std::uint64_t mask = 0;
  if (number == SYS_rt_sigprocmask && arguments.value[1] != 0 &&
      arguments.value[0] != SIG_UNBLOCK) {
    mask = without_ours(
        *reinterpret_cast<const std::uint64_t*>(arguments.value[1]));
    made.value[1] = bits_of(&mask);
  }
  const long result =
      may_wait(number) ? kernel_left(number, made) : kernel(number, made);
  order_after_call(number, arguments.value, result);
  after_call(number, arguments.value, result);
  return result;
}

void look_at_calls() {
  if (!looks) looks = switch_on();
}

void stop_looking_at_calls() {
  if (watches) return;
  switch_off();
}

void watch_calls() {
  static bool is_known = false;
  if (!is_known) {
    pthread_atfork(nullptr, nullptr, [] { looks = false; });
    is_known = true;
  }
  KernelAction action = {};
  action.handler = reinterpret_cast<void*>(&handle_watched);
  constexpr unsigned long kHasRestorer = 0x04000000;
  action.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kHasRestorer;
  action.restorer = reinterpret_cast<void*>(&audit_restore);
  kernel(SYS_rt_sigaction, {{SIGSYS, bits_of(&action), bits_of(&before), 8}});
  watches = looks = switch_on();
}

void watch_calls_again() {
  if (watches && !looks) looks = switch_on();
}

void stop_watching_calls() {
  if (!watches) return;
  watches = false;
  switch_off();
  kernel(SYS_rt_sigaction, {{SIGSYS, bits_of(&before), 0, 8}});
}

bool can_look_at_calls() {
  return looks;
}

bool on_call(siginfo_t* info, greg_t* registers, bool was_active) {
  if (info->si_code != kUserDispatch) return false;
  const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]) - kCallBytes;
  const long number = info->si_syscall;
  const CallArguments arguments = arguments_of(registers);
  if (is_end_of_handler(number, registers) ||
      refuse_call(number, arguments.value, registers)) {
    return true;
  }
  if (was_active && !has_told(pc)) {
    UnseenAccess access;
    audit_open_all();
    each_touch(number, arguments.value, add, &access);
    bool is_ours = false;
    access.site.owner = owner_of_code(pc);
    if (access.count != 0 && access.site.owner != CodeOwner::kTest) {
      access.site.caller = audit_caller(
          static_cast<std::uintptr_t>(registers[REG_RIP]), is_ours);
    }
    audit_close_all();
    // As a stand-in has announced.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < access.count; ++i) {
      if (!was_announced_for(state.current, access.touches[i],
                             access.site.caller)) {
        access.touches[kept++] = access.touches[i];
      }
    }
    access.count = kept;
    if (access.count != 0 && !is_ours) {
      access.site.pc = pc;
      access.site.system_call = static_cast<int>(number);
      registers[REG_RAX] = number;
      go_and_tell(registers, access, pc);
      return true;
    }
  }
  audit_open_all();
  registers[REG_RAX] = perform(number, arguments, pc);
  audit_close_all();
  return true;
}

}  // namespace plumb::runtime
