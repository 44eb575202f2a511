// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_order.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>

#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/mappings.h"
#include "runtime/races.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// Places of the race detector's, none of memory.
constexpr std::uintptr_t kPlaces = kNoMemory | 1024;
constexpr std::size_t kNameless = 0;
constexpr std::size_t kNames = 1;
constexpr std::size_t kFirstFile = 2;
constexpr std::uintptr_t kRoom = 1;  // beside it: who read made room

// LIMIT: of so many files in one execution; those beyond count as nameless.
struct Known {
  static constexpr std::size_t kMost = 128;
  std::uint32_t run = 0;
  std::size_t count = 0;
  dev_t device[kMost] = {};
  ino_t node[kMost] = {};
};
constinit Known known;

bool matters() {
  return (active || in_library) && !alone();
}

std::size_t index_of(dev_t device, ino_t node) {
  if (known.run != run_number) known.run = run_number, known.count = 0;
  for (std::size_t i = 0; i < known.count; ++i) {
    if (known.device[i] == device && known.node[i] == node) {
      return kFirstFile + i;
    }
  }
  if (known.count == Known::kMost) return kNameless;
  known.device[known.count] = device;
  known.node[known.count] = node;
  return kFirstFile + known.count++;
}

std::size_t index_of(int file) {
  const OwnWork own;
  struct stat status = {};
  if (kernel(SYS_fstat,
             {{static_cast<std::uint64_t>(file), bits_of(&status)}}) != 0) {
    return kNameless;
  }
  const bool has_name = S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) ||
                        S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ||
                        S_ISDIR(status.st_mode);
  return has_name ? index_of(status.st_dev, status.st_ino) : kNameless;
}

// May threads reach its bytes by addresses, too?
bool is_mapped(int file) {
  if (mappings().empty()) return false;
  std::uint64_t number = 0;
  {
    const OwnWork own;
    struct stat status = {};
    if (kernel(SYS_fstat,
               {{static_cast<std::uint64_t>(file), bits_of(&status)}}) != 0 ||
        !S_ISREG(status.st_mode)) {
      return false;
    }
    number = mapped_file(status);
  }
  const auto all = mappings();
  return std::any_of(all.begin(), all.end(), [&](const Mapping& mapping) {
    return mapping.file == number;
  });
}

// Nobody sees that these bytes are one.
void require_not_mapped(int file) {
  if (!is_mapped(file)) return;
  fail(Fault::kUnsupported, 0,
       "a file is mapped, and read or written by calls as well: what is done "
       "by the one is not seen by the other");
}

std::uintptr_t place_of(std::size_t index) {
  return kPlaces + index * 8;
}

void give(std::size_t index) {
  races().acquire(self(), place_of(index) + kRoom);
  races().release(self(), place_of(index));
}
void tell(std::size_t index) {
  races().acquire(self(), place_of(index));
  races().release(self(), place_of(index) + kRoom);
}

// Which argument of a call is a file that it writes to, or reads from.
struct Files {
  int written = -1;
  int read = -1;
};

// Of a part of a file.
bool is_lock(std::uint64_t what) {
  return what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK ||
         what == F_OFD_SETLKW;
}

Files files_of(long number, const std::uint64_t (&arguments)[6]) {
  switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_vmsplice:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_close:
    case SYS_shutdown:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_bind:
    case SYS_listen:
    case SYS_epoll_ctl:
    case SYS_timerfd_settime:
      return {0, -1};
    case SYS_dup2:
    case SYS_dup3:
      return {1, -1};
    case SYS_connect:
    case SYS_lseek:
      return {0, 0};
    case SYS_fcntl:
      return is_lock(arguments[1]) ? Files{0, 0} : Files{};
    case SYS_flock:
      return arguments[1] & LOCK_UN ? Files{0, -1} : Files{-1, 0};
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_fstat:
    case SYS_getdents:
    case SYS_getdents64:
    case SYS_ioctl:
      return {-1, 0};
    case SYS_sendfile:
      return {0, 1};
    case SYS_splice:
    case SYS_copy_file_range:
      return {2, 0};
    case SYS_tee:
      return {1, 0};
    default:
      return {};
  }
}

bool changes_names(long number) {
  switch (number) {
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_rmdir:
    case SYS_mknod:
    case SYS_mknodat:
    case SYS_truncate:
    case SYS_chmod:
    case SYS_fchmodat:
    case SYS_chdir:
    case SYS_fchdir:
      return true;
    default:
      return false;
  }
}

bool looks_at_names(long number) {
  switch (number) {
    case SYS_access:
    case SYS_faccessat:
    case SYS_stat:
    case SYS_lstat:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_readlink:
    case SYS_readlinkat:
      return true;
    default:
      return changes_names(number);
  }
}

bool is_wait(long number) {
  return number == SYS_poll || number == SYS_ppoll || number == SYS_select ||
         number == SYS_pselect6 || number == SYS_epoll_wait ||
         number == SYS_epoll_pwait || number == SYS_epoll_pwait2;
}

}  // namespace

bool is_about_files(long number, const std::uint64_t (&arguments)[6]) {
  const Files files = files_of(number, arguments);
  return files.written >= 0 || files.read >= 0 || is_wait(number) ||
         looks_at_names(number);
}

void file_gives(int file) {
  if (!matters()) return;
  require_not_mapped(file);
  give(index_of(file));
}

void file_tells(int file) {
  if (!matters()) return;
  require_not_mapped(file);
  tell(index_of(file));
}

void file_goes(int file) {
  if (matters()) give(index_of(file));
}

void files_tell(const pollfd* files, nfds_t count) {
  if (!matters()) return;
  for (nfds_t i = 0; i < count; ++i) {
    if (files[i].revents == 0) continue;
    tell(index_of(files[i].fd));
    // Room that readers made.
    races().acquire(self(), place_of(index_of(files[i].fd)) + kRoom);
  }
}

void files_tell(int count, const fd_set* set) {
  if (set == nullptr || !matters()) return;
  for (int file = 0; file < count && file < FD_SETSIZE; ++file) {
    const pollfd one = {file, 0, POLLIN};
    if (FD_ISSET(file, set)) files_tell(&one, 1);
  }
}

void all_files_tell() {
  if (alone()) return;
  const std::size_t count = known.run == run_number ? known.count : 0;
  for (std::size_t i = 0; i < kFirstFile + count; ++i) {
    tell(i);
    races().acquire(self(), place_of(i) + kRoom);
  }
}

void names_give() {
  if (matters()) give(kNames);
}
void names_tell() {
  if (matters()) tell(kNames);
}

bool moves_mapped_bytes(long number, const std::uint64_t (&arguments)[6]) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_sendfile:
    case SYS_splice:
    case SYS_copy_file_range:
      break;
    default:
      return false;
  }
  if (alone()) return false;
  const Files files = files_of(number, arguments);
  const auto is_one = [&](int file) {
    return file >= 0 && is_mapped(static_cast<int>(arguments[file]));
  };
  return is_one(files.read) || is_one(files.written);
}

void order_before_call(long number, const std::uint64_t (&arguments)[6]) {
  if (alone()) return;
  const Files files = files_of(number, arguments);
  if (files.written >= 0) {
    give(index_of(static_cast<int>(arguments[files.written])));
  } else if (changes_names(number)) {
    give(kNames);
  }
}

void order_after_call(long number, const std::uint64_t (&arguments)[6],
                      long result) {
  if (alone()) return;
  if (looks_at_names(number)) return tell(kNames);
  if (result < 0) return;
  if (is_wait(number)) {
    if (result > 0) all_files_tell();
    return;
  }
  const Files files = files_of(number, arguments);
  if (files.read >= 0) {
    tell(index_of(static_cast<int>(arguments[files.read])));
  }
}

}  // namespace plumb::runtime
