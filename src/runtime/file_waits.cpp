// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_waits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "runtime/audit.h"
#include "runtime/audit_calls.h"
#include "runtime/audit_signals.h"
#include "runtime/broken_pipes.h"
#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/file_order.h"
#include "runtime/loops.h"
#include "runtime/patience.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"

namespace plumb::runtime {
namespace {

struct Request {
  pollfd* files;
  nfds_t count;
};

// Not by way of our own stand-in.
bool is_ready(const void* object) {
  const OwnWork own;
  const auto& request = *static_cast<const Request*>(object);
  const timespec at_once = {0, 0};
  const int error = errno;
  const long ready =
      syscall(SYS_ppoll, request.files, request.count, &at_once, nullptr, 0);
  errno = error;
  return ready != 0;
}

// While nobody else lives, what happens outside may take some time: so much of
// it is given to it, in the kernel.
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPatience = kSecond / 10;

std::int64_t real_time() {
  timespec now = {};
  kernel(SYS_clock_gettime, {{CLOCK_MONOTONIC, bits_of(&now)}});
  return now.tv_sec * kSecond + now.tv_nsec;
}

bool becomes_ready(const Request& request, std::int64_t nanoseconds) {
  const OwnWork own;
  const MayBeLeft may_be_left;
  const std::int64_t end = real_time() + nanoseconds;
  for (std::int64_t left = nanoseconds; left > 0; left = end - real_time()) {
    timespec most = {left / kSecond, left % kSecond};
    const long ready =
        kernel(SYS_ppoll,
               {{bits_of(request.files), request.count, bits_of(&most), 0, 0}});
    if (ready != -EINTR) return ready != 0;
  }
  return false;
}

void wait_alone(const Request& request, bool for_ever) {
  if (!for_ever || is_ready(&request) || becomes_ready(request, kPatience)) {
    return;
  }
  fail(Fault::kUnsupported, 0, "%s", kWaitsOutside);
}

void wait(Request request, bool for_ever, const void* pc) {
  if (alone()) return wait_alone(request, for_ever);
  note_blind();
  const Event event = sync_event(Kind::kDown, kFiles, true, pc);
  if (for_ever) {
    state.waits_outside |= sched::bit(self());
    announce_when(event, is_ready, &request);
    state.waits_outside &= ~sched::bit(self());
  } else {
    announce(event);
  }
  did(event);
}

// Its flags say that it never waits.
bool never_waits(int file) {
  const OwnWork own;
  return (fcntl(file, F_GETFL) & O_NONBLOCK) != 0;
}

// Of a test that only prints.
bool is_printing(int file, short what) {
  return what == POLLOUT && (file == STDOUT_FILENO || file == STDERR_FILENO);
}

// Can a write to it take a part, and wait?
bool takes_parts(int file) {
  const OwnWork own;
  struct stat status = {};
  if (fstat(file, &status) != 0) return false;
  if (S_ISFIFO(status.st_mode)) return true;
  int type = 0;
  socklen_t size = sizeof(type);
  return S_ISSOCK(status.st_mode) &&
         getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
         type == SOCK_STREAM;
}

// A message of which some is sent.
class Sending {
 public:
  Sending(int file, const msghdr& message, int flags)
      : file_(file), message_(message), flags_(flags) {
    std::copy_n(message.msg_iov, message.msg_iovlen, rest_);
    message_.msg_iov = rest_;
  }

  static constexpr std::size_t kMostPieces = 64;

  ssize_t all(const void* pc) {
    ssize_t sum = 0;
    for (int in_vain = 0;;) {
      wait_for_file(file_, POLLOUT, pc);
      file_gives(file_);
      const long sent = what_fits();
      if (sent == -EAGAIN) {
        constexpr int kMostInVain = 3;
        if (++in_vain < kMostInVain) continue;
        not_supported(pc, "a write where there is room, but too little,");
      }
      if (sent < 0) {
        errno = static_cast<int>(-sent);
        if (!(flags_ & MSG_NOSIGNAL)) after_write(-1, file_, pc);
        return sum > 0 ? sum : -1;
      }
      sum += sent;
      if (!has_more_after(static_cast<std::size_t>(sent))) return sum;
    }
  }

 private:
  // Nobody else runs, so nobody sees that it does not wait.
  long what_fits() {
    const Writing writing;
    const OwnWork own;
    const int flags = fcntl(file_, F_GETFL);
    fcntl(file_, F_SETFL, flags | O_NONBLOCK);
    if (audit::on) audit_open_all();
    const auto file = static_cast<std::uint64_t>(file_);
    const long sent =
        flags_ == 0
            ? make_call(SYS_writev, {{file, bits_of(message_.msg_iov),
                                      message_.msg_iovlen}})
            : make_call(SYS_sendmsg, {{file, bits_of(&message_),
                                       static_cast<std::uint64_t>(flags_)}});
    if (audit::on) audit_close_all();
    fcntl(file_, F_SETFL, flags);
    return sent;
  }

  bool has_more_after(std::size_t sent) {
    iovec*& at = message_.msg_iov;
    while (message_.msg_iovlen > 0 && sent >= at->iov_len) {
      sent -= at->iov_len;
      ++at;
      --message_.msg_iovlen;
    }
    if (message_.msg_iovlen == 0) return false;
    at->iov_base = static_cast<char*>(at->iov_base) + sent;
    at->iov_len -= sent;
    return true;
  }

  int file_;
  msghdr message_;
  int flags_;
  iovec rest_[kMostPieces];
};

}  // namespace

bool send_in_parts(int file, const msghdr& message, int flags, const void* pc,
                   ssize_t& sent) {
  if (!active || (flags & MSG_DONTWAIT) ||
      message.msg_iovlen > Sending::kMostPieces || is_printing(file, POLLOUT) ||
      never_waits(file) || !takes_parts(file)) {
    return false;
  }
  sent = Sending(file, message, flags).all(pc);
  return true;
}

void wait_for_file(int file, short what, const void* pc) {
  if (!active || is_printing(file, what)) return;
  pollfd one = {file, what, 0};
  wait({&one, 1}, what != 0 && !never_waits(file), pc);
}

void wait_for_stream(FILE* stream, const void* pc) {
  if (!active || stream->_IO_read_ptr < stream->_IO_read_end) return;
  const int file = stream->_fileno;
  struct stat status = {};
  bool never = file < 0;
  if (!never) {
    const OwnWork own;
    never = fstat(file, &status) != 0 || S_ISREG(status.st_mode);
  }
  if (never) return;
  wait_for_file(file, POLLIN, pc);
}

void file_step(const void* pc) {
  if (!active || alone()) return;
  wait({nullptr, 0}, false, pc);
}

void wait_for_files(pollfd* files, nfds_t count, int milliseconds,
                    const void* pc) {
  if (!active) return;
  if (milliseconds > 0 && alone()) {
    becomes_ready({files, count}, milliseconds * (kSecond / 1000));
    return;
  }
  if (milliseconds > 0) yield_to_others(pc);
  wait({files, count}, milliseconds < 0, pc);
}

void waited_for_files(int ready, int milliseconds, const void* pc) {
  if (!active || ready != 0 || milliseconds <= 0) return;
  wait_in_vain({milliseconds / 1000, milliseconds % 1000 * 1'000'000L}, pc);
}

void wait_for_sets(int count, const fd_set* in, const fd_set* out,
                   int milliseconds, const void* pc) {
  if (!active) return;
  pollfd files[FD_SETSIZE];
  nfds_t used = 0;
  for (int file = 0; file < count && file < FD_SETSIZE; ++file) {
    const bool reads = in != nullptr && FD_ISSET(file, in);
    const bool writes = out != nullptr && FD_ISSET(file, out);
    if (!reads && !writes) continue;
    const int what = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
    files[used++] = {file, static_cast<short>(what), 0};
  }
  wait_for_files(files, used, milliseconds, pc);
}

}  // namespace plumb::runtime
