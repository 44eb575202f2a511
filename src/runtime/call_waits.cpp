// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_waits.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/audit_signals.h"
#include "runtime/core.h"

namespace plumb::runtime {
namespace {

struct Named {
  long number;
  const char* name;
};
constexpr Named kNames[] = {
    {SYS_read, "read"},
    {SYS_readv, "readv"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_write, "write"},
    {SYS_writev, "writev"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_sendfile, "sendfile"},
    {SYS_splice, "splice"},
    {SYS_tee, "tee"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_open, "open"},
    {SYS_openat, "openat"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_futex, "futex"},
    {SYS_poll, "poll"},
    {SYS_ppoll, "ppoll"},
    {SYS_select, "select"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_epoll_pwait2, "epoll_pwait2"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_mq_timedsend, "mq_send"},
    {SYS_mq_timedreceive, "mq_receive"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_fsync, "fsync"},
};

bool is_blocking(std::uint64_t file) {
  const long flags = kernel(SYS_fcntl, {{file, F_GETFL}});
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

// One that waits may have the time to look, while nobody else lives, whether
// something happens outside.
bool is_ready(std::uint64_t files, std::uint64_t count) {
  timespec most = {0, alone() ? 100'000'000 : 0};
  long ready = -EINTR;
  while (ready == -EINTR) {  // what is left of the time is written back
    ready = kernel(SYS_ppoll, {{files, count, bits_of(&most), 0, 0}});
  }
  return ready != 0;
}

bool is_ready(std::uint64_t file, short what) {
  pollfd one = {static_cast<int>(file), what, 0};
  const timespec at_once = {0, 0};
  return kernel(SYS_ppoll, {{bits_of(&one), 1, bits_of(&at_once), 0, 0}}) !=
             0 ||
         (alone() && is_ready(bits_of(&one), std::uint64_t{1}));
}

bool waits_for(std::uint64_t file, short what, std::uint64_t flags = 0) {
  return (flags & MSG_DONTWAIT) == 0 && is_blocking(file) &&
         !is_ready(file, what);
}

// The tool reads what tests print, in its own time.
bool is_output(std::uint64_t file) {
  return file == STDOUT_FILENO || file == STDERR_FILENO;
}

// The lock is tried; if it was free, it is held now, as it would be.
bool waits_for_lock(long number, std::uint64_t file, std::uint64_t how,
                    std::uint64_t lock = 0) {
  const long got = kernel(number, {{file, how, lock}});
  return got == -EAGAIN || got == -EACCES;
}

// One end of a named pipe waits for the other.
bool waits_for_fifo(std::uint64_t folder, std::uint64_t path,
                    std::uint64_t flags) {
  constexpr std::uint64_t kNever = O_NONBLOCK, kBoth = O_RDWR;
  if ((flags & kNever) || (flags & O_ACCMODE) == kBoth) return false;
  struct stat status = {};
  return kernel(SYS_newfstatat, {{folder, path, bits_of(&status), 0}}) == 0 &&
         S_ISFIFO(status.st_mode);
}

// select() without an end; it writes to its sets.
bool waits_for_sets(const std::uint64_t (&arguments)[6]) {
  fd_set sets[3] = {};
  std::uint64_t given[3] = {};
  const std::uint64_t bytes =
      std::min<std::uint64_t>((arguments[0] + 63) / 64 * 8, sizeof(fd_set));
  for (std::size_t i = 0; i < 3; ++i) {
    if (arguments[i + 1] == 0) continue;
    std::memcpy(&sets[i], reinterpret_cast<void*>(arguments[i + 1]), bytes);
    given[i] = bits_of(&sets[i]);
  }
  const timespec at_once = {0, 0};
  return kernel(SYS_pselect6, {{arguments[0], given[0], given[1], given[2],
                                bits_of(&at_once), 0}}) == 0;
}

// Those that wait for several files.
bool waits_for_files(long number, const std::uint64_t (&arguments)[6]) {
  switch (number) {
    case SYS_poll:
      return static_cast<int>(arguments[2]) < 0 &&
             !is_ready(arguments[0], arguments[1]);
    case SYS_ppoll:
      return arguments[2] == 0 && !is_ready(arguments[0], arguments[1]);
    case SYS_select:
    case SYS_pselect6:
      return arguments[4] == 0 && waits_for_sets(arguments);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return static_cast<int>(arguments[3]) < 0 &&
             !is_ready(arguments[0], short{POLLIN});
    case SYS_epoll_pwait2:
      return arguments[3] == 0 && !is_ready(arguments[0], short{POLLIN});
    default:
      return false;
  }
}

// All threads of the test are one to the kernel: nobody would wake it.
bool waits_for_futex(const std::uint64_t (&arguments)[6]) {
  const int what = static_cast<int>(arguments[1]) & FUTEX_CMD_MASK;
  if (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) return false;
  const auto* word = reinterpret_cast<const std::uint32_t*>(arguments[0]);
  return *word == static_cast<std::uint32_t>(arguments[2]);
}

}  // namespace

bool would_wait(long number, const std::uint64_t (&arguments)[6]) {
  const std::uint64_t file = arguments[0];
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4:
      return waits_for(file, POLLIN);
    case SYS_recvfrom:
      return waits_for(file, POLLIN, arguments[3]);
    case SYS_recvmsg:
      return waits_for(file, POLLIN, arguments[2]);
    case SYS_recvmmsg:
      return waits_for(file, POLLIN, arguments[3]);
    case SYS_write:
    case SYS_writev:
      return !is_output(file) && waits_for(file, POLLOUT);
    case SYS_sendto:
      return waits_for(file, POLLOUT, arguments[3]);
    case SYS_sendmsg:
      return waits_for(file, POLLOUT, arguments[2]);
    case SYS_sendfile:
      return waits_for(file, POLLOUT);
    case SYS_splice:
      return waits_for(file, POLLIN) || waits_for(arguments[2], POLLOUT);
    case SYS_tee:
      return waits_for(file, POLLIN) || waits_for(arguments[1], POLLOUT);
    case SYS_flock:
      return !(arguments[1] & LOCK_NB) &&
             waits_for_lock(number, file, arguments[1] | LOCK_NB);
    case SYS_fcntl:
      return (arguments[1] == F_SETLKW &&
              waits_for_lock(number, file, F_SETLK, arguments[2])) ||
             (arguments[1] == F_OFD_SETLKW &&
              waits_for_lock(number, file, F_OFD_SETLK, arguments[2]));
    case SYS_open:
      return waits_for_fifo(static_cast<std::uint64_t>(AT_FDCWD), file,
                            arguments[1]);
    case SYS_openat:
      return waits_for_fifo(file, arguments[1], arguments[2]);
    case SYS_futex:
      return !alone() && waits_for_futex(arguments);
    default:
      return waits_for_files(number, arguments);
  }
}

bool waits_for_a_while(long number, const std::uint64_t (&arguments)[6]) {
  constexpr int kLongest = 1;  // in seconds
  const auto is_short = [](std::uint64_t time) {
    return time != 0 && *reinterpret_cast<const time_t*>(time) < kLongest;
  };
  const auto is_short_number = [](std::uint64_t milliseconds) {
    return milliseconds < kLongest * 1000;
  };
  switch (number) {
    case SYS_poll:
      return is_short_number(arguments[2] & UINT32_MAX);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return is_short_number(arguments[3] & UINT32_MAX);
    case SYS_ppoll:
    case SYS_clock_nanosleep:
      return is_short(arguments[2]);
    case SYS_epoll_pwait2:
      return is_short(arguments[3]);
    case SYS_select:
    case SYS_pselect6:
      return is_short(arguments[4]);
    case SYS_nanosleep:
      return is_short(arguments[0]);
    default:
      return false;
  }
}

const char* name_of_call(long number) {
  for (const Named& one : kNames) {
    if (one.number == number) return one.name;
  }
  return "another one";
}

}  // namespace plumb::runtime
