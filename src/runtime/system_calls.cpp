// SPDX-License-Identifier: Apache-2.0
#include "runtime/system_calls.h"

#include <asm/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace plumb::runtime {

namespace {

// What an argument points to.
enum class To : std::uint8_t {
  kNothing,
  kIn,        // memory that is read
  kOut,       // ... written
  kText,      // ... read up to a 0
  kPiecesIn,  // a list of pieces that are read
  kPiecesOut,
  kMessageIn,  // messages with such lists
  kMessageOut,
};

constexpr std::int8_t kFixed = -1;   // `bytes` is all there is
constexpr std::int8_t kPointed = 8;  // added: a number that is pointed to

struct Pointer {
  To to = To::kNothing;
  std::int8_t argument = 0;
  std::uint16_t bytes = 1;     // in all, or of one element
  std::int8_t count = kFixed;  // the argument that tells how many
};
constexpr std::size_t kMostPointers = 4;
struct Call {
  long number;
  Pointer pointers[kMostPointers];
};

constexpr Pointer in(std::int8_t argument, std::uint16_t bytes,
                     std::int8_t count = kFixed) {
  return {To::kIn, argument, bytes, count};
}
constexpr Pointer out(std::int8_t argument, std::uint16_t bytes,
                      std::int8_t count = kFixed) {
  return {To::kOut, argument, bytes, count};
}
constexpr Pointer text(std::int8_t argument) {
  return {To::kText, argument, 1, kFixed};
}
constexpr Pointer list(To to, std::int8_t argument, std::int8_t count) {
  return {to, argument, 1, count};
}

// Calls that take no pointers are here, too: of those that are not, nothing is
// known.
constexpr Call kCalls[] = {
    {SYS_read, {out(1, 1, 2)}},
    {SYS_pread64, {out(1, 1, 2)}},
    {SYS_write, {in(1, 1, 2)}},
    {SYS_pwrite64, {in(1, 1, 2)}},
    {SYS_readv, {list(To::kPiecesOut, 1, 2)}},
    {SYS_preadv, {list(To::kPiecesOut, 1, 2)}},
    {SYS_preadv2, {list(To::kPiecesOut, 1, 2)}},
    {SYS_writev, {list(To::kPiecesIn, 1, 2)}},
    {SYS_pwritev, {list(To::kPiecesIn, 1, 2)}},
    {SYS_pwritev2, {list(To::kPiecesIn, 1, 2)}},
    {SYS_vmsplice, {list(To::kPiecesIn, 1, 2)}},
    {SYS_process_vm_readv,
     {list(To::kPiecesOut, 1, 2), list(To::kPiecesIn, 3, 4)}},
    {SYS_process_vm_writev,
     {list(To::kPiecesIn, 1, 2), list(To::kPiecesOut, 3, 4)}},
    {SYS_recvfrom, {out(1, 1, 2), out(4, 1, 5 + kPointed), out(5, 4)}},
    {SYS_sendto, {in(1, 1, 2), in(4, 1, 5)}},
    {SYS_recvmsg, {list(To::kMessageOut, 1, kFixed)}},
    {SYS_sendmsg, {list(To::kMessageIn, 1, kFixed)}},
    {SYS_recvmmsg, {list(To::kMessageOut, 1, 2), in(4, 16)}},
    {SYS_sendmmsg, {list(To::kMessageIn, 1, 2)}},
    {SYS_getdents64, {out(1, 1, 2)}},
    {SYS_getdents, {out(1, 1, 2)}},
    {SYS_getrandom, {out(0, 1, 1)}},
    {SYS_accept, {out(1, 1, 2 + kPointed), out(2, 4)}},
    {SYS_accept4, {out(1, 1, 2 + kPointed), out(2, 4)}},
    {SYS_getsockname, {out(1, 1, 2 + kPointed), out(2, 4)}},
    {SYS_getpeername, {out(1, 1, 2 + kPointed), out(2, 4)}},
    {SYS_bind, {in(1, 1, 2)}},
    {SYS_connect, {in(1, 1, 2)}},
    {SYS_getsockopt, {out(3, 1, 4 + kPointed), out(4, 4)}},
    {SYS_setsockopt, {in(3, 1, 4)}},
    {SYS_socketpair, {out(3, 8)}},
    {SYS_pipe, {out(0, 8)}},
    {SYS_pipe2, {out(0, 8)}},
    {SYS_sendfile, {out(2, 8)}},
    {SYS_splice, {out(1, 8), out(3, 8)}},
    {SYS_copy_file_range, {out(1, 8), out(3, 8)}},
    {SYS_stat, {text(0), out(1, 144)}},
    {SYS_lstat, {text(0), out(1, 144)}},
    {SYS_fstat, {out(1, 144)}},
    {SYS_newfstatat, {text(1), out(2, 144)}},
    {SYS_statx, {text(1), out(4, 256)}},
    {SYS_statfs, {text(0), out(1, 120)}},
    {SYS_fstatfs, {out(1, 120)}},
    {SYS_readlink, {text(0), out(1, 1, 2)}},
    {SYS_readlinkat, {text(1), out(2, 1, 3)}},
    {SYS_getcwd, {out(0, 1, 1)}},
    {SYS_getxattr, {text(0), text(1), out(2, 1, 3)}},
    {SYS_fgetxattr, {text(1), out(2, 1, 3)}},
    {SYS_listxattr, {text(0), out(1, 1, 2)}},
    {SYS_setxattr, {text(0), text(1), in(2, 1, 3)}},
    {SYS_open, {text(0)}},
    {SYS_openat, {text(1)}},
    {SYS_creat, {text(0)}},
    {SYS_access, {text(0)}},
    {SYS_faccessat, {text(1)}},
    {SYS_faccessat2, {text(1)}},
    {SYS_mkdir, {text(0)}},
    {SYS_mkdirat, {text(1)}},
    {SYS_rmdir, {text(0)}},
    {SYS_unlink, {text(0)}},
    {SYS_unlinkat, {text(1)}},
    {SYS_rename, {text(0), text(1)}},
    {SYS_renameat, {text(1), text(3)}},
    {SYS_renameat2, {text(1), text(3)}},
    {SYS_link, {text(0), text(1)}},
    {SYS_linkat, {text(1), text(3)}},
    {SYS_symlink, {text(0), text(1)}},
    {SYS_symlinkat, {text(0), text(2)}},
    {SYS_chmod, {text(0)}},
    {SYS_fchmodat, {text(1)}},
    {SYS_chown, {text(0)}},
    {SYS_chdir, {text(0)}},
    {SYS_truncate, {text(0)}},
    {SYS_mknod, {text(0)}},
    {SYS_mknodat, {text(1)}},
    {SYS_utimensat, {text(1), in(2, 32)}},
    {SYS_memfd_create, {text(0)}},
    {SYS_poll, {out(0, 8, 1)}},
    {SYS_ppoll, {out(0, 8, 1), out(2, 16), in(3, 8)}},
    {SYS_epoll_ctl, {in(3, 12)}},
    {SYS_epoll_wait, {out(1, 12, 2)}},
    {SYS_epoll_pwait, {out(1, 12, 2), in(4, 8)}},
    {SYS_select, {out(1, 128), out(2, 128), out(3, 128), out(4, 16)}},
    {SYS_pselect6, {out(1, 128), out(2, 128), out(3, 128), out(4, 16)}},
    {SYS_time, {out(0, 8)}},
    {SYS_gettimeofday, {out(0, 16), out(1, 8)}},
    {SYS_clock_gettime, {out(1, 16)}},
    {SYS_clock_getres, {out(1, 16)}},
    {SYS_clock_nanosleep, {in(2, 16), out(3, 16)}},
    {SYS_nanosleep, {in(0, 16), out(1, 16)}},
    {SYS_getitimer, {out(1, 32)}},
    {SYS_setitimer, {in(1, 32), out(2, 32)}},
    {SYS_timer_create, {in(1, 64), out(2, 4)}},
    {SYS_timer_gettime, {out(1, 32)}},
    {SYS_timer_settime, {in(2, 32), out(3, 32)}},
    {SYS_timerfd_gettime, {out(1, 32)}},
    {SYS_timerfd_settime, {in(2, 32), out(3, 32)}},
    {SYS_rt_sigprocmask, {in(1, 8), out(2, 8)}},
    {SYS_rt_sigaction, {in(1, 32), out(2, 32)}},
    {SYS_rt_sigpending, {out(0, 8)}},
    {SYS_rt_sigtimedwait, {in(0, 8), out(1, 128), in(2, 16)}},
    {SYS_rt_sigsuspend, {in(0, 8)}},
    {SYS_sigaltstack, {in(0, 24), out(1, 24)}},
    {SYS_signalfd4, {in(1, 8)}},
    {SYS_uname, {out(0, 390)}},
    {SYS_sysinfo, {out(0, 112)}},
    {SYS_times, {out(0, 32)}},
    {SYS_getrusage, {out(1, 144)}},
    {SYS_getrlimit, {out(1, 16)}},
    {SYS_setrlimit, {in(1, 16)}},
    {SYS_prlimit64, {in(2, 16), out(3, 16)}},
    {SYS_getresuid, {out(0, 4), out(1, 4), out(2, 4)}},
    {SYS_getresgid, {out(0, 4), out(1, 4), out(2, 4)}},
    {SYS_getgroups, {out(1, 4, 0)}},
    {SYS_sched_getaffinity, {out(2, 1, 1)}},
    {SYS_sched_setaffinity, {in(2, 1, 1)}},
    {SYS_sched_getparam, {out(1, 4)}},
    {SYS_sched_setparam, {in(1, 4)}},
    {SYS_sched_setscheduler, {in(2, 4)}},
    {SYS_sched_rr_get_interval, {out(1, 16)}},
    {SYS_wait4, {out(1, 4), out(3, 144)}},
    {SYS_waitid, {out(2, 128), out(4, 144)}},
    {SYS_getcpu, {out(0, 4), out(1, 4)}},
    {SYS_mincore, {}},  // see below
    {SYS_ioctl, {}},
    {SYS_prctl, {}},
    {SYS_semop, {in(1, 6, 2)}},
    {SYS_shmctl, {out(2, 112)}},
    {SYS_msgsnd, {in(1, 1, 2)}},
    {SYS_msgrcv, {out(1, 1, 2)}},
    // What memory is, not what is in it.
    {SYS_mmap, {}},
    {SYS_munmap, {}},
    {SYS_mprotect, {}},
    {SYS_madvise, {}},
    {SYS_mremap, {}},
    {SYS_msync, {}},
    {SYS_mlock, {}},
    {SYS_munlock, {}},
    {SYS_mlockall, {}},
    {SYS_munlockall, {}},
    {SYS_mlock2, {}},
    {SYS_brk, {}},
    {SYS_shmat, {}},
    {SYS_shmdt, {}},
    // Numbers only; or the C library's own business.
    {SYS_close, {}},
    {SYS_close_range, {}},
    {SYS_fdatasync, {}},
    {SYS_sync, {}},
    {SYS_syncfs, {}},
    {SYS_sync_file_range, {}},
    {SYS_readahead, {}},
    {SYS_flock, {}},
    {SYS_fchown, {}},
    {SYS_getpgrp, {}},
    {SYS_getpgid, {}},
    {SYS_getsid, {}},
    {SYS_sched_get_priority_max, {}},
    {SYS_sched_get_priority_min, {}},
    {SYS_inotify_init, {}},
    {SYS_inotify_init1, {}},
    {SYS_inotify_rm_watch, {}},
    {SYS_lseek, {}},
    {SYS_dup, {}},
    {SYS_dup2, {}},
    {SYS_dup3, {}},
    {SYS_fcntl, {}},
    {SYS_fsync, {}},
    {SYS_ftruncate, {}},
    {SYS_fallocate, {}},
    {SYS_fadvise64, {}},
    {SYS_fchdir, {}},
    {SYS_fchmod, {}},
    {SYS_umask, {}},
    {SYS_socket, {}},
    {SYS_listen, {}},
    {SYS_shutdown, {}},
    {SYS_eventfd, {}},
    {SYS_eventfd2, {}},
    {SYS_epoll_create, {}},
    {SYS_epoll_create1, {}},
    {SYS_timerfd_create, {}},
    {SYS_getpid, {}},
    {SYS_getppid, {}},
    {SYS_gettid, {}},
    {SYS_getuid, {}},
    {SYS_geteuid, {}},
    {SYS_getgid, {}},
    {SYS_getegid, {}},
    {SYS_kill, {}},
    {SYS_tkill, {}},
    {SYS_tgkill, {}},
    {SYS_alarm, {}},
    {SYS_pause, {}},
    {SYS_getpriority, {}},
    {SYS_setpriority, {}},
    {SYS_sched_yield, {}},
    {SYS_membarrier, {}},
    {SYS_futex, {}},
    {SYS_exit_group, {}},
    {SYS_exit, {}},
    {SYS_set_robust_list, {}},
    {SYS_rseq, {}},
};

// A socket's address may have less room than it says.
constexpr std::uint64_t kMostPointed = 256;
constexpr std::uint64_t kMostPieces = 1024;

class Visitor {
 public:
  Visitor(const std::uint64_t (&arguments)[6],
          void (*visit)(void*, const CallTouch&), void* context)
      : arguments_(arguments), visit_(visit), context_(context) {}

  void touch(std::uint64_t address, std::uint64_t bytes, bool writes,
             bool is_known = true) {
    if (address != 0 && bytes != 0) {
      visit_(context_, {address, bytes, writes, is_known});
    }
  }

  void follow(const Pointer& pointer) {
    const std::uint64_t address = at(pointer.argument);
    if (address == 0) return;
    const std::uint64_t count = count_of(pointer);
    switch (pointer.to) {
      case To::kNothing:
        return;
      case To::kIn:
      case To::kOut:
        return touch(address, count * pointer.bytes, pointer.to == To::kOut);
      case To::kText:
        return touch(address,
                     std::strlen(reinterpret_cast<const char*>(address)) + 1,
                     false);
      case To::kPiecesIn:
      case To::kPiecesOut:
        return pieces(address, count, pointer.to == To::kPiecesOut);
      case To::kMessageIn:
      case To::kMessageOut:
        return messages(address, count, pointer);
    }
  }

  std::uint64_t at(int argument) const {
    return arguments_[static_cast<std::size_t>(argument)];
  }

 private:
  std::uint64_t count_of(const Pointer& pointer) const {
    if (pointer.count == kFixed) return 1;
    if (pointer.count < kPointed) return at(pointer.count);
    const auto* number =
        reinterpret_cast<const socklen_t*>(at(pointer.count - kPointed));
    return number == nullptr ? 0
                             : std::min<std::uint64_t>(*number, kMostPointed);
  }

  void pieces(std::uint64_t address, std::uint64_t count, bool writes) {
    count = std::min(count, kMostPieces);
    touch(address, count * sizeof(iovec), false);
    const auto* all = reinterpret_cast<const iovec*>(address);
    for (std::uint64_t i = 0; i < count; ++i) {
      touch(reinterpret_cast<std::uint64_t>(all[i].iov_base), all[i].iov_len,
            writes);
    }
  }

  // One, or several with their lengths.
  void messages(std::uint64_t address, std::uint64_t count,
                const Pointer& pointer) {
    const bool writes = pointer.to == To::kMessageOut;
    const bool is_list = pointer.count != kFixed;
    const std::size_t size = is_list ? sizeof(mmsghdr) : sizeof(msghdr);
    count = std::min(count, kMostPieces);
    touch(address, count * size, writes || is_list);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto* one = reinterpret_cast<const msghdr*>(address + i * size);
      touch(reinterpret_cast<std::uint64_t>(one->msg_name), one->msg_namelen,
            writes);
      touch(reinterpret_cast<std::uint64_t>(one->msg_control),
            one->msg_controllen, writes);
      pieces(reinterpret_cast<std::uint64_t>(one->msg_iov), one->msg_iovlen,
             writes);
    }
  }

  const std::uint64_t (&arguments_)[6];
  void (*visit_)(void*, const CallTouch&);
  void* context_;
};

// What the third argument points to: newer requests tell its size.
std::uint64_t bytes_of_request(std::uint64_t request) {
  constexpr std::uint64_t kTermios = 36, kWindow = 8;
  if (request >= 0x5401 && request <= 0x5404) return kTermios;
  if (request == 0x5413 || request == 0x5414) return kWindow;
  const std::uint64_t told = _IOC_SIZE(request);
  return told != 0 ? told : sizeof(int);
}

void follow_odd_call(long number, Visitor& visitor) {
  constexpr std::uint64_t kPage = 4096, kName = 16;
  switch (number) {
    case SYS_mincore:
      return visitor.touch(visitor.at(2), (visitor.at(1) + kPage - 1) / kPage,
                           true);
    case SYS_ioctl:
      return visitor.touch(visitor.at(2), bytes_of_request(visitor.at(1)),
                           _IOC_DIR(visitor.at(1)) != _IOC_WRITE);
    case SYS_prctl:
      if (visitor.at(0) == PR_SET_NAME || visitor.at(0) == PR_GET_NAME) {
        visitor.touch(visitor.at(1), kName, visitor.at(0) == PR_GET_NAME);
      }
      return;
    default:
      return;
  }
}

}  // namespace

void each_touch(long number, const std::uint64_t (&arguments)[6],
                void (*visit)(void*, const CallTouch&), void* context) {
  Visitor visitor(arguments, visit, context);
  for (const Call& call : kCalls) {
    if (call.number != number) continue;
    for (const Pointer& pointer : call.pointers) visitor.follow(pointer);
    return follow_odd_call(number, visitor);
  }
  constexpr std::uint64_t kPerhaps = 64;
  for (const std::uint64_t value : arguments) {
    visitor.touch(value, kPerhaps, true, false);
  }
}

}  // namespace plumb::runtime
