// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit_calls.h"

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>

#include "runtime/audit.h"
#include "runtime/audit_objects.h"
#include "runtime/audit_signals.h"
#include "runtime/audit_unseen.h"
#include "runtime/core.h"
#include "runtime/fibers.h"

extern "C" __attribute__((visibility("hidden"))) void audit_restore();

namespace plumb::runtime {

namespace {

constexpr std::uint64_t kDispatch = 59, kOff = 0, kOn = 1;  // of prctl()
constexpr int kUserDispatch = 2;                            // si_code
constexpr std::uintptr_t kCallBytes = 2;  // the length of `syscall`

constinit bool looks = false;

// Arguments that point to memory.
struct Pointer {
  short argument;  // -1: none
  bool writes;
  short length;         // the argument that tells the bytes; -1: `bytes`
  std::uint32_t bytes;  // or of one element
};
struct Call {
  long number;
  Pointer pointers[2];
};
constexpr Pointer kNone = {-1, false, -1, 0};
// LIMIT: of other calls, all arguments that point to memory of the test are
// taken for writes of a byte.
constexpr Call kCalls[] = {
    {SYS_read, {{1, true, 2, 1}, kNone}},
    {SYS_pread64, {{1, true, 2, 1}, kNone}},
    {SYS_write, {{1, false, 2, 1}, kNone}},
    {SYS_pwrite64, {{1, false, 2, 1}, kNone}},
    {SYS_recvfrom, {{1, true, 2, 1}, kNone}},
    {SYS_sendto, {{1, false, 2, 1}, {4, false, 5, 1}}},
    {SYS_getrandom, {{0, true, 1, 1}, kNone}},
    {SYS_open, {{0, false, -1, 1}, kNone}},
    {SYS_openat, {{1, false, -1, 1}, kNone}},
    {SYS_stat, {{0, false, -1, 1}, {1, true, -1, 144}}},
    {SYS_fstat, {{1, true, -1, 144}, kNone}},
    {SYS_newfstatat, {{1, false, -1, 1}, {2, true, -1, 144}}},
    {SYS_readlink, {{0, false, -1, 1}, {1, true, 2, 1}}},
    {SYS_getcwd, {{0, true, 1, 1}, kNone}},
    {SYS_pipe, {{0, true, -1, 8}, kNone}},
    {SYS_pipe2, {{0, true, -1, 8}, kNone}},
    {SYS_socketpair, {{3, true, -1, 8}, kNone}},
    {SYS_clock_gettime, {{1, true, -1, 16}, kNone}},
    {SYS_clock_nanosleep, {{2, false, -1, 16}, {3, true, -1, 16}}},
    {SYS_nanosleep, {{0, false, -1, 16}, {1, true, -1, 16}}},
    {SYS_gettimeofday, {{0, true, -1, 16}, kNone}},
    {SYS_uname, {{0, true, -1, 390}, kNone}},
    {SYS_times, {{0, true, -1, 32}, kNone}},
    {SYS_getrusage, {{1, true, -1, 144}, kNone}},
    {SYS_sysinfo, {{0, true, -1, 112}, kNone}},
    {SYS_poll, {{0, true, 1, 8}, kNone}},
    {SYS_epoll_wait, {{1, true, 2, 12}, kNone}},
    {SYS_getdents64, {{1, true, 2, 1}, kNone}},
    // What memory is, not what is in it.
    {SYS_mmap, {kNone, kNone}},
    {SYS_munmap, {kNone, kNone}},
    {SYS_mprotect, {kNone, kNone}},
    {SYS_madvise, {kNone, kNone}},
    {SYS_mremap, {kNone, kNone}},
    {SYS_brk, {kNone, kNone}},
    // Of the C library: what they do is not about the test's memory.
    {SYS_futex, {kNone, kNone}},
    {SYS_rt_sigprocmask, {kNone, kNone}},
    {SYS_exit_group, {kNone, kNone}},
    {SYS_exit, {kNone, kNone}},
    {SYS_set_robust_list, {kNone, kNone}},
};

CallArguments arguments_of(const greg_t* registers) {
  const auto get = [&](int name) {
    return static_cast<std::uint64_t>(registers[name]);
  };
  return {{get(REG_RDI), get(REG_RSI), get(REG_RDX), get(REG_R10), get(REG_R8),
           get(REG_R9)}};
}

void add(UnseenAccess& access, std::uintptr_t address, std::uint64_t bytes,
         bool writes) {
  if (bytes == 0 || access.count == UnseenAccess::kMost ||
      !audit_protects(address)) {
    return;
  }
  Touch& touch = access.touches[access.count++];
  touch.address = address;
  touch.size =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 1 << 20));
  touch.reads = !writes;
  touch.writes = writes;
}

void add_vector(UnseenAccess& access, const CallArguments& arguments,
                bool writes) {
  const auto* parts = reinterpret_cast<const iovec*>(arguments.value[1]);
  const std::uint64_t count = std::min<std::uint64_t>(arguments.value[2], 1024);
  for (std::uint64_t i = 0; i < count; ++i) {
    add(access, reinterpret_cast<std::uintptr_t>(parts[i].iov_base),
        parts[i].iov_len, writes);
  }
}

// What the kernel is going to do to memory that is protected.
void find_touches(long number, const CallArguments& arguments,
                  UnseenAccess& access) {
  if (number == SYS_readv || number == SYS_writev) {
    return add_vector(access, arguments, number == SYS_readv);
  }
  for (const Call& call : kCalls) {
    if (call.number != number) continue;
    for (const Pointer& pointer : call.pointers) {
      if (pointer.argument < 0) continue;
      const auto at = static_cast<std::size_t>(pointer.argument);
      const std::uint64_t count =
          pointer.length < 0
              ? 1
              : arguments.value[static_cast<std::size_t>(pointer.length)];
      add(access, arguments.value[at], count * pointer.bytes, pointer.writes);
    }
    return;
  }
  for (const std::uint64_t value : arguments.value) {
    add(access, value, 1, true);
  }
}

}  // namespace

void look_at_calls() {
  const AddressRange ours = own_library();
  // What the kernel asks for, whether to stop calls, is just what `active` is.
  looks = kernel(SYS_prctl, {{kDispatch, kOn, ours.begin, ours.end - ours.begin,
                              bits_of(&active)}}) == 0;
}

void stop_looking_at_calls() {
  if (looks) kernel(SYS_prctl, {{kDispatch, kOff}});
  looks = false;
}

bool can_look_at_calls() {
  return looks;
}

bool on_call(siginfo_t* info, greg_t* registers, bool was_active) {
  if (info->si_code != kUserDispatch) return false;
  const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]) - kCallBytes;
  const long number = info->si_syscall;
  if (number == SYS_rt_sigreturn) {
    // Somebody else's handler ends: from where that is not looked at.
    registers[REG_RIP] =
        static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&audit_restore));
    return true;
  }
  // A child process goes on from here, or a program of another kind.
  // LIMIT: what comes after that in this execution is not looked at.
  if (number == SYS_clone || number == SYS_clone3 || number == SYS_fork ||
      number == SYS_vfork || number == SYS_execve) {
    registers[REG_RAX] = number;
    registers[REG_RIP] = static_cast<greg_t>(pc);
    audit_stop();
    return true;
  }
  const CallArguments arguments = arguments_of(registers);
  if (was_active && !has_told(pc)) {
    UnseenAccess access;
    audit_open_all();
    find_touches(number, arguments, access);
    bool is_ours = false;
    if (access.count != 0) {
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
      access.site.owner = owner_of_code(pc);
      if (access.site.owner == CodeOwner::kTest) access.site.caller = 0;
      access.site.system_call = static_cast<int>(number);
      registers[REG_RAX] = number;
      go_and_tell(registers, access, pc);
      return true;
    }
  }
  audit_open_all();
  registers[REG_RAX] = kernel(number, arguments);
  audit_close_all();
  return true;
}

}  // namespace plumb::runtime
