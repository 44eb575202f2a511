// SPDX-License-Identifier: Apache-2.0
// read, write, recv, send, stat, poll, getcwd, open, getenv, strftime, ...:
// what calls of the system read and write for the test, told as accesses.
//
// What comes from a file or a socket is not under control: the same execution
// may get something else next time, and who looks for loops is told so.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "runtime/broken_pipes.h"
#include "runtime/file_order.h"
#include "runtime/file_waits.h"
#include "runtime/loops.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// A call that fills a buffer as far as it says; negative: not at all.
template <typename Call>
ssize_t fill(std::uintptr_t pc, void* buffer, std::size_t room, Call call) {
  if (!is_seen(pc)) return call();
  note_unseen();
  tell_at_most(pc, [&](Ranges& to) { to.writes(buffer, room); });
  const ssize_t got = call();
  if (got > 0) {
    const std::size_t bytes = std::min(static_cast<std::size_t>(got), room);
    tell_after(pc, [&](Ranges& to) { to.writes(buffer, bytes); });
  }
  return got;
}

// A call that writes `what` unless it fails.
template <typename T, typename Call>
int give(std::uintptr_t pc, T* what, Call call, std::size_t count = 1) {
  if (!is_seen(pc) || what == nullptr) return call();
  tell_at_most(pc, [&](Ranges& to) { to.writes(what, sizeof(T) * count); });
  const int result = call();
  if (result >= 0) {
    tell_after(pc, [&](Ranges& to) { to.writes(what, sizeof(T) * count); });
  }
  return result;
}

void each_piece(Ranges& to, const iovec* pieces, int count, bool writes,
                std::size_t bytes) {
  for (int i = 0; i < count; ++i) {
    const std::size_t part = std::min(pieces[i].iov_len, bytes);
    if (writes) {
      to.writes(pieces[i].iov_base, part);
    } else {
      to.reads(pieces[i].iov_base, part);
    }
    bytes -= part;
  }
}
void list_of(Ranges& to, const iovec* pieces, int count) {
  if (count > 0) to.reads(pieces, sizeof(iovec) * static_cast<size_t>(count));
}

// A call on `file` that may have to wait: as an event.  `what` 0: it does not.
template <typename Call>
auto waits_for(int file, short what, const void* pc, Call call) {
  return [=] {
    wait_for_file(file, what, pc);
    const auto result = call();
    if (result >= 0) file_tells(file);
    return result;
  };
}
short waiting(int flags, short what) {
  return flags & MSG_DONTWAIT ? short{0} : what;
}

// What MSG_WAITALL asks for: all of it, in parts between which others go on.
template <typename Call>
auto receives(int file, std::size_t n, int flags, const void* pc, Call call) {
  return [=]() -> ssize_t {
    const bool in_parts = (flags & MSG_WAITALL) && !(flags & MSG_DONTWAIT) &&
                          !(flags & MSG_PEEK) && active && !alone();
    const int how = in_parts ? flags & ~MSG_WAITALL : flags;
    std::size_t all = 0;
    do {
      wait_for_file(file, waiting(flags, POLLIN), pc);
      const ssize_t got = call(all, how);
      if (got >= 0) file_tells(file);
      if (got <= 0) return all > 0 ? static_cast<ssize_t>(all) : got;
      all += static_cast<std::size_t>(got);
    } while (in_parts && all < n);
    return static_cast<ssize_t>(all);
  };
}
void* behind(void* start, std::size_t bytes) {
  return static_cast<char*>(start) + bytes;
}

// The same for buffers in several pieces.
template <typename Call>
ssize_t fill_pieces(std::uintptr_t pc, const iovec* pieces, int count,
                    Call call) {
  if (!is_seen(pc)) return call();
  note_unseen();
  const auto all = [&](Ranges& to, std::size_t bytes) {
    list_of(to, pieces, count);
    each_piece(to, pieces, count, true, bytes);
  };
  tell_at_most(pc, [&](Ranges& to) { all(to, SIZE_MAX); });
  const ssize_t got = call();
  if (got > 0) {
    tell_after(pc, [&](Ranges& to) { all(to, static_cast<size_t>(got)); });
  }
  return got;
}
void send_pieces(Ranges& to, const iovec* pieces, int count) {
  list_of(to, pieces, count);
  each_piece(to, pieces, count, false, SIZE_MAX);
}

// The same pieces as a message; `count` of one without.
struct Message : msghdr {
  Message(const iovec* pieces, std::size_t count) : msghdr{} {
    msg_iov = const_cast<iovec*>(pieces);
    msg_iovlen = count;
  }
  Message(const void* bytes, std::size_t count) : msghdr{} {
    piece = {const_cast<void*>(bytes), count};
    msg_iov = &piece;
    msg_iovlen = 1;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  iovec piece = {};
};

template <typename Call>
ssize_t send_some(int file, const msghdr& message, int flags, const void* pc,
                  Call call) {
  ssize_t sent = 0;
  if (send_in_parts(file, message, flags, pc, sent)) return sent;
  wait_for_file(file, waiting(flags, POLLOUT), pc);
  {
    const Writing writing;
    file_gives(file);
    sent = call();
  }
  return flags & MSG_NOSIGNAL ? sent : after_write(sent, file, pc);
}

// All waiting is ours: see file_waits.h.
int timeout_of(int milliseconds) {
  return active ? 0 : milliseconds;
}
int milliseconds_of(const timespec& time) {
  return static_cast<int>(std::min<long>(time.tv_sec, 1'000'000) * 1000 +
                          time.tv_nsec / 1'000'000);
}

// Sets of select() are touched by whole words.
void sets_of(Ranges& to, int count, std::initializer_list<fd_set*> sets) {
  const size_t bytes = (static_cast<size_t>(count) + 63) / 64 * 8;
  for (fd_set* set : sets) {
    if (set != nullptr) to.writes(set, bytes);
  }
}

// epoll_wait() and its kin; `call` is given how long to wait.
template <typename Call>
int wait_for_events(const void* caller, int poll, epoll_event* events, int room,
                    int timeout, Call call) {
  const auto wait = [&] {
    pollfd one = {poll, POLLIN, 0};
    wait_for_files(&one, 1, timeout, caller);
    const int ready = call(timeout_of(timeout));
    if (ready > 0) all_files_tell();
    waited_for_files(ready, timeout, caller);
    return ready;
  };
  const auto pc = reinterpret_cast<std::uintptr_t>(caller);
  if (!is_seen(pc) || room <= 0) return wait();
  note_unseen();
  const auto told = [&](Ranges& to, int count) {
    to.writes(events, static_cast<size_t>(count) * sizeof(*events));
  };
  tell_at_most(pc, [&](Ranges& to) { told(to, room); });
  const int got = wait();
  if (got > 0) tell_after(pc, [&](Ranges& to) { told(to, got); });
  return got;
}

constexpr char kEnvironment = 0;
constexpr char kBrokenDownTime = 0;

void use_environment(Ranges& to, const char* name, bool writes) {
  to.uses_hidden(&kEnvironment, writes);
  to.reads_text(name);
}

}  // namespace

// The kernel has numbers for these devices.
bool gives_random_bytes(int file) {
  const OwnWork own;
  struct stat status = {};
  return fstat(file, &status) == 0 && S_ISCHR(status.st_mode) &&
         (status.st_rdev == makedev(1, 8) || status.st_rdev == makedev(1, 9));
}

}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

#define PLUMB_PC_POINTER __builtin_return_address(0)

// A stand-in that tells what it touches, and may have to wait for `file`: sends
// `message` with these flags.
#define PLUMB_SENDS(result, name, parameters, arguments, message, flags, ...) \
  PLUMB_STAND_IN(result, name, parameters) {                                  \
    if (is_seen(PLUMB_PC_NUMBER)) {                                           \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { __VA_ARGS__; });         \
    }                                                                         \
    return send_some(file, message, flags, PLUMB_PC_POINTER,                  \
                     [&] { return real_##name arguments; });                  \
  }

// ---- Files and sockets.

PLUMB_STAND_IN(ssize_t, read, (int file, void* s, size_t n)) {
  if (is_seen(PLUMB_PC_NUMBER) && gives_random_bytes(file)) {
    random_bytes(s, n, PLUMB_PC_NUMBER);
    return static_cast<ssize_t>(n);
  }
  return fill(PLUMB_PC_NUMBER, s, n,
              waits_for(file, POLLIN, PLUMB_PC_POINTER,
                        [&] { return real_read(file, s, n); }));
}
#define PLUMB_PREAD(name)                                                  \
  PLUMB_STAND_IN(ssize_t, name, (int file, void* s, size_t n, off_t at)) { \
    file_step(PLUMB_PC_POINTER);                                           \
    return fill(PLUMB_PC_NUMBER, s, n, [&] {                               \
      const ssize_t got = real_##name(file, s, n, at);                     \
      if (got >= 0) file_tells(file);                                      \
      return got;                                                          \
    });                                                                    \
  }
PLUMB_PREAD(pread)
PLUMB_PREAD(pread64)
PLUMB_STAND_IN(ssize_t, readv, (int file, const iovec* pieces, int count)) {
  return fill_pieces(PLUMB_PC_NUMBER, pieces, count,
                     waits_for(file, POLLIN, PLUMB_PC_POINTER, [&] {
                       return real_readv(file, pieces, count);
                     }));
}
PLUMB_STAND_IN(ssize_t, recv, (int file, void* s, size_t n, int flags)) {
  return fill(
      PLUMB_PC_NUMBER, s, n,
      receives(file, n, flags, PLUMB_PC_POINTER, [&](size_t done, int how) {
        return real_recv(file, behind(s, done), n - done, how);
      }));
}
PLUMB_STAND_IN(ssize_t, recvfrom,
               (int file, void* s, size_t n, int flags, sockaddr* from,
                socklen_t* length)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  const bool tells = is_seen(pc) && from != nullptr && length != nullptr;
  const socklen_t room = tells ? *length : 0;
  const auto sender = [&](Ranges& to) {
    to.writes(length, sizeof(*length));
    to.writes(from, room);
  };
  if (tells) tell_at_most(pc, sender);
  const ssize_t got = fill(
      pc, s, n,
      receives(file, n, flags, PLUMB_PC_POINTER, [&](size_t done, int how) {
        return real_recvfrom(file, behind(s, done), n - done, how, from,
                             length);
      }));
  if (tells && got >= 0) tell_after(pc, sender);
  return got;
}
PLUMB_STAND_IN(ssize_t, recvmsg, (int file, msghdr* message, int flags)) {
  if (active && !alone() && (flags & MSG_WAITALL)) {
    not_supported(PLUMB_PC_POINTER, "recvmsg() with MSG_WAITALL");
  }
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.writes(message, sizeof(*message));
      to.writes(message->msg_name, message->msg_namelen);
      to.writes(message->msg_control, message->msg_controllen);
    });
  }
  return fill_pieces(
      PLUMB_PC_NUMBER, message->msg_iov, static_cast<int>(message->msg_iovlen),
      waits_for(file, waiting(flags, POLLIN), PLUMB_PC_POINTER,
                [&] { return real_recvmsg(file, message, flags); }));
}
PLUMB_SENDS(ssize_t, write, (int file, const void* s, size_t n), (file, s, n),
            Message(s, n), 0, note_unseen();
            to.reads(s, n))
#define PLUMB_PWRITE(name)                                               \
  PLUMB_STAND_IN(ssize_t, name,                                          \
                 (int file, const void* s, size_t n, off_t at)) {        \
    if (is_seen(PLUMB_PC_NUMBER)) {                                      \
      note_unseen();                                                     \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads(s, n); }); \
    }                                                                    \
    file_step(PLUMB_PC_POINTER);                                         \
    file_gives(file);                                                    \
    return real_##name(file, s, n, at);                                  \
  }
PLUMB_PWRITE(pwrite)
PLUMB_PWRITE(pwrite64)
PLUMB_SENDS(ssize_t, writev, (int file, const iovec* pieces, int count),
            (file, pieces, count),
            Message(pieces, static_cast<size_t>(std::max(count, 0))), 0,
            note_unseen();
            send_pieces(to, pieces, count))
PLUMB_SENDS(ssize_t, send, (int file, const void* s, size_t n, int flags),
            (file, s, n, flags), Message(s, n), flags, note_unseen();
            to.reads(s, n))
PLUMB_SENDS(ssize_t, sendto,
            (int file, const void* s, size_t n, int flags, const sockaddr* to_,
             socklen_t length),
            (file, s, n, flags, to_, length), Message(s, n), flags,
            note_unseen();
            to.reads(s, n); to.reads(to_, to_ ? length : 0))
PLUMB_SENDS(ssize_t, sendmsg, (int file, const msghdr* message, int flags),
            (file, message, flags), *message, flags, note_unseen();
            to.reads(message, sizeof(*message));
            to.reads(message->msg_name, message->msg_namelen);
            to.reads(message->msg_control, message->msg_controllen);
            send_pieces(to, message->msg_iov,
                        static_cast<int>(message->msg_iovlen)))
PLUMB_STAND_IN(int, connect,
               (int file, const sockaddr* to_, socklen_t length)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads(to_, length); });
  }
  file_step(PLUMB_PC_POINTER);
  file_gives(file);
  const int result = real_connect(file, to_, length);
  if (result == 0) file_tells(file);
  return result;
}
PLUMB_STAND_IN(int, bind, (int file, const sockaddr* to_, socklen_t length)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads(to_, length); });
  }
  file_step(PLUMB_PC_POINTER);
  file_gives(file);
  return real_bind(file, to_, length);
}
PLUMB_TELLS(int, setsockopt,
            (int file, int level, int name, const void* s, socklen_t length),
            (file, level, name, s, length), to.reads(s, length))
PLUMB_STAND_IN(int, eventfd_read, (int file, eventfd_t* value)) {
  return give(PLUMB_PC_NUMBER, value,
              waits_for(file, POLLIN, PLUMB_PC_POINTER,
                        [&] { return real_eventfd_read(file, value); }));
}
PLUMB_STAND_IN(int, eventfd_write, (int file, eventfd_t value)) {
  wait_for_file(file, POLLOUT, PLUMB_PC_POINTER);
  file_gives(file);
  return real_eventfd_write(file, value);
}
PLUMB_STAND_IN(int, pipe, (int* ends)) {
  return give(
      PLUMB_PC_NUMBER, ends, [&] { return real_pipe(ends); }, 2);
}
PLUMB_STAND_IN(int, pipe2, (int* ends, int flags)) {
  return give(
      PLUMB_PC_NUMBER, ends, [&] { return real_pipe2(ends, flags); }, 2);
}
PLUMB_STAND_IN(int, socketpair,
               (int domain, int type, int protocol, int* ends)) {
  return give(
      PLUMB_PC_NUMBER, ends,
      [&] { return real_socketpair(domain, type, protocol, ends); }, 2);
}

// ---- What is done to open files, in some order.

// `changed` is the file that others notice it at.
#define PLUMB_STEP(result, name, parameters, arguments, gives, changed) \
  PLUMB_STAND_IN(result, name, parameters) {                            \
    file_step(PLUMB_PC_POINTER);                                        \
    gives(changed);                                                     \
    return real_##name arguments;                                       \
  }
PLUMB_STEP(int, close, (int file), (file), file_goes, file)
PLUMB_STEP(int, dup2, (int file, int to), (file, to), file_goes, to)
PLUMB_STEP(int, dup3, (int file, int to, int flags), (file, to, flags),
           file_goes, to)
PLUMB_STEP(int, ftruncate, (int file, off_t size), (file, size), file_gives,
           file)
PLUMB_STEP(int, ftruncate64, (int file, off_t size), (file, size), file_gives,
           file)
PLUMB_STEP(int, shutdown, (int file, int how), (file, how), file_gives, file)
PLUMB_STEP(int, listen, (int file, int most), (file, most), file_gives, file)
#define PLUMB_SEEK(name)                                        \
  PLUMB_STAND_IN(off_t, name, (int file, off_t to, int from)) { \
    file_step(PLUMB_PC_POINTER);                                \
    file_gives(file);                                           \
    const off_t now = real_##name(file, to, from);              \
    file_tells(file);                                           \
    return now;                                                 \
  }
PLUMB_SEEK(lseek)
PLUMB_SEEK(lseek64)
PLUMB_STAND_IN(int, flock, (int file, int how)) {
  file_step(PLUMB_PC_POINTER);
  if (how & LOCK_UN) file_gives(file);
  const int result = real_flock(file, how);
  if (result == 0 && !(how & LOCK_UN)) file_tells(file);
  return result;
}

// ---- Waiting for files.

PLUMB_STAND_IN(int, poll, (pollfd * files, nfds_t count, int timeout)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    note_unseen();
    tell_before(PLUMB_PC_NUMBER,
                [&](Ranges& to) { to.writes(files, count * sizeof(*files)); });
  }
  wait_for_files(files, count, timeout, PLUMB_PC_POINTER);
  const int ready = real_poll(files, count, timeout_of(timeout));
  files_tell(files, count);
  waited_for_files(ready, timeout, PLUMB_PC_POINTER);
  return ready;
}
PLUMB_STAND_IN(int, ppoll,
               (pollfd * files, nfds_t count, const timespec* timeout,
                const sigset_t* mask)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    note_unseen();
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.writes(files, count * sizeof(*files));
      if (timeout) to.reads(timeout, sizeof(*timeout));
      if (mask) to.reads(mask, sizeof(std::uint64_t));
    });
  }
  const int most = timeout ? milliseconds_of(*timeout) : -1;
  wait_for_files(files, count, most, PLUMB_PC_POINTER);
  const timespec at_once = {0, 0};
  const int ready = real_ppoll(files, count, active ? &at_once : timeout, mask);
  files_tell(files, count);
  waited_for_files(ready, most, PLUMB_PC_POINTER);
  return ready;
}
PLUMB_STAND_IN(int, select,
               (int count, fd_set* in, fd_set* out, fd_set* odd,
                timeval* timeout)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    note_unseen();
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      sets_of(to, count, {in, out, odd});
      if (timeout != nullptr) to.writes(timeout, sizeof(*timeout));
    });
  }
  const int most =
      timeout ? milliseconds_of({timeout->tv_sec, timeout->tv_usec * 1000})
              : -1;
  wait_for_sets(count, in, out, most, PLUMB_PC_POINTER);
  timeval at_once = {0, 0};
  const int ready =
      real_select(count, in, out, odd, active ? &at_once : timeout);
  for (const fd_set* set : {in, out, odd}) files_tell(count, set);
  waited_for_files(ready, most, PLUMB_PC_POINTER);
  return ready;
}
PLUMB_STAND_IN(int, pselect,
               (int count, fd_set* in, fd_set* out, fd_set* odd,
                const timespec* timeout, const sigset_t* mask)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    note_unseen();
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      sets_of(to, count, {in, out, odd});
      if (timeout != nullptr) to.reads(timeout, sizeof(*timeout));
      if (mask != nullptr) to.reads(mask, sizeof(std::uint64_t));
    });
  }
  const int most = timeout ? milliseconds_of(*timeout) : -1;
  wait_for_sets(count, in, out, most, PLUMB_PC_POINTER);
  const timespec at_once = {0, 0};
  const int ready =
      real_pselect(count, in, out, odd, active ? &at_once : timeout, mask);
  for (const fd_set* set : {in, out, odd}) files_tell(count, set);
  waited_for_files(ready, most, PLUMB_PC_POINTER);
  return ready;
}
PLUMB_STAND_IN(int, epoll_ctl,
               (int poll, int what, int file, epoll_event* event)) {
  tell_read(event, PLUMB_PC_NUMBER);
  file_step(PLUMB_PC_POINTER);
  file_gives(poll);
  return real_epoll_ctl(poll, what, file, event);
}
PLUMB_STAND_IN(int, epoll_wait,
               (int poll, epoll_event* events, int room, int timeout)) {
  return wait_for_events(
      PLUMB_PC_POINTER, poll, events, room, timeout,
      [&](int most) { return real_epoll_wait(poll, events, room, most); });
}
PLUMB_STAND_IN(int, epoll_pwait,
               (int poll, epoll_event* events, int room, int timeout,
                const sigset_t* mask)) {
  return wait_for_events(
      PLUMB_PC_POINTER, poll, events, room, timeout, [&](int most) {
        return real_epoll_pwait(poll, events, room, most, mask);
      });
}

// ---- Files by name.

#define PLUMB_PATH(result, name, parameters, arguments)                       \
  PLUMB_STAND_IN(result, name, parameters) {                                  \
    if (is_seen(PLUMB_PC_NUMBER)) {                                           \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads_text(path); }); \
    }                                                                         \
    file_step(PLUMB_PC_POINTER);                                              \
    names_give();                                                             \
    result const answer = real_##name arguments;                              \
    names_tell();                                                             \
    return answer;                                                            \
  }
PLUMB_PATH(int, open, (const char* path, int flags, mode_t mode),
           (path, flags, mode))
PLUMB_PATH(int, open64, (const char* path, int flags, mode_t mode),
           (path, flags, mode))
PLUMB_PATH(int, openat, (int at, const char* path, int flags, mode_t mode),
           (at, path, flags, mode))
PLUMB_PATH(int, creat, (const char* path, mode_t mode), (path, mode))
PLUMB_PATH(int, access, (const char* path, int mode), (path, mode))
PLUMB_PATH(int, unlink, (const char* path), (path))
PLUMB_PATH(int, mkdir, (const char* path, mode_t mode), (path, mode))
PLUMB_PATH(int, rmdir, (const char* path), (path))
PLUMB_PATH(int, chdir, (const char* path), (path))
PLUMB_PATH(int, chmod, (const char* path, mode_t mode), (path, mode))
PLUMB_PATH(int, truncate, (const char* path, off_t size), (path, size))
PLUMB_PATH(DIR*, opendir, (const char* path), (path))

#define PLUMB_STATUS(name, type)                                               \
  PLUMB_STAND_IN(int, name, (const char* path, type* out)) {                   \
    if (is_seen(PLUMB_PC_NUMBER)) {                                            \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads_text(path); });  \
    }                                                                          \
    file_step(PLUMB_PC_POINTER);                                               \
    names_tell();                                                              \
    return give(PLUMB_PC_NUMBER, out, [&] { return real_##name(path, out); }); \
  }
PLUMB_STATUS(stat, struct stat)
PLUMB_STATUS(lstat, struct stat)
PLUMB_STATUS(stat64, struct stat64)
PLUMB_STATUS(lstat64, struct stat64)
PLUMB_STATUS(statvfs, struct statvfs)

// ---- Small answers.

#define PLUMB_GIVES(name, parameters, arguments)                              \
  PLUMB_STAND_IN(int, name, parameters) {                                     \
    return give(PLUMB_PC_NUMBER, out, [&] { return real_##name arguments; }); \
  }
PLUMB_GIVES(fstat, (int file, struct stat* out), (file, out))
PLUMB_GIVES(fstat64, (int file, struct stat64* out), (file, out))
PLUMB_GIVES(getrlimit, (int what, rlimit* out), (what, out))
PLUMB_GIVES(getrusage, (int who, rusage* out), (who, out))
PLUMB_GIVES(uname, (utsname * out), (out))
PLUMB_GIVES(clock_getres, (clockid_t clock, timespec* out), (clock, out))
PLUMB_GIVES(wait, (int* out), (out))
PLUMB_GIVES(waitpid, (pid_t child, int* out, int flags), (child, out, flags))

// A buffer, and how much room it has: how much of it was used.
#define PLUMB_GIVES_PART(name, parameters, arguments) \
  PLUMB_GIVES_PART_WHEN(0, name, parameters, arguments)
// The same when `file` is ready.
#define PLUMB_GIVES_PART_WHEN(ready, name, parameters, arguments)           \
  PLUMB_STAND_IN(int, name, parameters) {                                   \
    const std::uintptr_t pc = PLUMB_PC_NUMBER;                              \
    const void* const caller = PLUMB_PC_POINTER;                            \
    const auto call = [&] {                                                 \
      if (ready != 0) wait_for_file(file, ready, caller);                   \
      const int answer = real_##name arguments;                             \
      if (ready != 0 && answer >= 0) file_tells(file);                      \
      return answer;                                                        \
    };                                                                      \
    if (!is_seen(pc) || out == nullptr || length == nullptr) return call(); \
    const size_t room = *length;                                            \
    const auto told = [&](Ranges& to) {                                     \
      to.writes(length, sizeof(*length));                                   \
      to.writes(out, std::min<size_t>(room, *length));                      \
    };                                                                      \
    tell_at_most(pc, told);                                                 \
    const int result = call();                                              \
    if (result >= 0) tell_after(pc, told);                                  \
    return result;                                                          \
  }
PLUMB_GIVES_PART(getsockname, (int file, sockaddr* out, socklen_t* length),
                 (file, out, length))
PLUMB_GIVES_PART(getpeername, (int file, sockaddr* out, socklen_t* length),
                 (file, out, length))
PLUMB_GIVES_PART_WHEN(POLLIN, accept,
                      (int file, sockaddr* out, socklen_t* length),
                      (file, out, length))
PLUMB_GIVES_PART_WHEN(POLLIN, accept4,
                      (int file, sockaddr* out, socklen_t* length, int flags),
                      (file, out, length, flags))
PLUMB_GIVES_PART(getsockopt,
                 (int file, int level, int name, void* out, socklen_t* length),
                 (file, level, name, out, length))

PLUMB_STAND_IN(char*, getcwd, (char* out, size_t room)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  const Giving giving;
  if (!is_seen(pc) || out == nullptr) return real_getcwd(out, room);
  tell_at_most(pc, [&](Ranges& to) { to.writes(out, room); });
  char* const result = real_getcwd(out, room);
  if (result != nullptr) {
    tell_after(pc, [&](Ranges& to) { to.writes(out, strlen(out) + 1); });
  }
  return result;
}
PLUMB_STAND_IN(int, gethostname, (char* out, size_t room)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc)) return real_gethostname(out, room);
  tell_at_most(pc, [&](Ranges& to) { to.writes(out, room); });
  const int result = real_gethostname(out, room);
  if (result == 0) {
    tell_after(pc, [&](Ranges& to) {
      to.writes(out, std::min(strlen(out) + 1, room));
    });
  }
  return result;
}
PLUMB_STAND_IN(ssize_t, readlink, (const char* path, char* out, size_t room)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads_text(path); });
  }
  return fill(PLUMB_PC_NUMBER, out, room,
              [&] { return real_readlink(path, out, room); });
}
PLUMB_TELLS(in_addr_t, inet_addr, (const char* s), (s), to.reads_text(s))
PLUMB_TELLS(int, inet_pton, (int family, const char* s, void* out),
            (family, s, out), to.reads_text(s);
            to.writes(out, family == AF_INET ? 4 : 16))

// ---- The environment.

PLUMB_TELLS_QUIETLY(char*, getenv, (const char* name), (name),
                    use_environment(to, name, false))
PLUMB_TELLS_QUIETLY(char*, secure_getenv, (const char* name), (name),
                    use_environment(to, name, false))
PLUMB_TELLS_QUIETLY(int, setenv,
                    (const char* name, const char* value, int overwrite),
                    (name, value, overwrite), use_environment(to, name, true),
                    to.reads_text(value))
PLUMB_TELLS_QUIETLY(int, unsetenv, (const char* name), (name),
                    use_environment(to, name, true))
PLUMB_TELLS_QUIETLY(int, putenv, (char* entry), (entry),
                    use_environment(to, entry, true))

// ---- Dates.

PLUMB_TELLS_QUIETLY(tm*, localtime_r, (const time_t* time, tm* out),
                    (time, out), to.reads(time, sizeof(*time)),
                    to.writes(out, sizeof(*out)))
PLUMB_TELLS_QUIETLY(tm*, gmtime_r, (const time_t* time, tm* out), (time, out),
                    to.reads(time, sizeof(*time)), to.writes(out, sizeof(*out)))
PLUMB_TELLS_QUIETLY(tm*, localtime, (const time_t* time), (time),
                    to.reads(time, sizeof(*time)),
                    to.uses_hidden(&kBrokenDownTime, true))
PLUMB_TELLS_QUIETLY(tm*, gmtime, (const time_t* time), (time),
                    to.reads(time, sizeof(*time)),
                    to.uses_hidden(&kBrokenDownTime, true))
PLUMB_TELLS_QUIETLY(char*, ctime, (const time_t* time), (time),
                    to.reads(time, sizeof(*time)),
                    to.uses_hidden(&kBrokenDownTime, true))
PLUMB_TELLS_QUIETLY(char*, asctime, (const tm* time), (time),
                    to.reads(time, sizeof(*time)),
                    to.uses_hidden(&kBrokenDownTime, true))
PLUMB_TELLS_QUIETLY(char*, ctime_r, (const time_t* time, char* out),
                    (time, out), to.reads(time, sizeof(*time)),
                    to.writes(out, 26))
PLUMB_TELLS_QUIETLY(char*, asctime_r, (const tm* time, char* out), (time, out),
                    to.reads(time, sizeof(*time)), to.writes(out, 26))
PLUMB_TELLS_QUIETLY(time_t, mktime, (tm * time), (time),
                    to.writes(time, sizeof(*time)))
PLUMB_TELLS_QUIETLY(time_t, timegm, (tm * time), (time),
                    to.writes(time, sizeof(*time)))
PLUMB_STAND_IN(size_t, strftime,
               (char* out, size_t room, const char* format, const tm* time)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc)) return real_strftime(out, room, format, time);
  const auto inputs = [&](Ranges& to) {
    to.reads_text(format);
    to.reads(time, sizeof(*time));
  };
  if (!Telling::are_events()) tell_before(pc, inputs);
  tell_at_most(pc, [&](Ranges& to) {
    inputs(to);
    to.writes(out, room);
  });
  size_t length = 0;
  {
    const InLibrary quiet;
    length = real_strftime(out, room, format, time);
  }
  if (length != 0) {
    tell_after(pc, [&](Ranges& to) { to.writes(out, length + 1); });
  }
  return length;
}
PLUMB_STAND_IN(char*, strptime, (const char* s, const char* format, tm* out)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.reads_text(s);
      to.reads_text(format);
      to.writes(out, sizeof(*out));
    });
  }
  return real_strptime(s, format, out);
}
