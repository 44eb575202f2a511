// SPDX-License-Identifier: Apache-2.0
#include "runtime/left_behind.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <clocale>
#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <locale>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "runtime/audit_calls.h"
#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/hidden_data.h"
#include "runtime/library_data.h"
#include "runtime/loaded_libraries.h"
#include "runtime/loops.h"
#include "runtime/reals.h"
#include "runtime/stream_use.h"
#include "runtime/system_calls.h"
#include "runtime/touch.h"

extern "C" char** environ;

namespace plumb::runtime {

namespace {

constexpr std::size_t kFiles = 1024;
constexpr int kBackups = 512;  // copies of descriptors are numbered from here
constexpr std::size_t kSignals = 65;
constexpr std::size_t kLimits = 16;
constexpr std::size_t kName = 16;
constexpr std::uint64_t kIoProcess = 1;

PLUMB_REAL(fclose);

// Settings of prctl() that can be asked for and set back.
struct Control {
  std::uint64_t sets;
  std::uint64_t gets;
  bool by_pointer;  // what it is now is written there
};
constexpr Control kControls[] = {
    {PR_SET_DUMPABLE, PR_GET_DUMPABLE, false},
    {PR_SET_KEEPCAPS, PR_GET_KEEPCAPS, false},
    {PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, true},
    {PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, false},
    {PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER, true},
    {PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, false},
};

// What there was before the first execution.
struct Before {
  std::bitset<kFiles> open;
  off_t position[kFiles] = {};
  char** environment = nullptr;
  std::vector<char*> variables;
  std::new_handler new_handler = nullptr;
  std::terminate_handler terminate_handler = nullptr;
  std::pmr::memory_resource* resource = nullptr;
};

// A descriptor from before whose flags were changed, with what they were.
struct Flags {
  int file = 0;
  int status = 0;
  int descriptor = 0;
};

// What this execution has changed, with what it was before.
struct Changes {
  bool any = false;  // of those below
  std::bitset<kFiles> opened;
  std::bitset<kFiles> moved;
  int backup[kFiles];  // of descriptors that were closed; 0: none
  bool closed = false;
  int folder = -1;
  std::optional<long> creation_mask;
  std::optional<std::uint64_t> signal_mask;
  std::optional<stack_t> signal_stack;
  std::optional<KernelAction> actions[kSignals];
  std::optional<itimerval> timers[3];
  std::optional<rlimit> limits[kLimits];
  std::optional<std::string> name;
  std::optional<std::uint64_t> controls[std::size(kControls)];
  std::optional<std::uint64_t> personality;
  std::optional<std::uint64_t> io_priority;
  int new_files = 0;
  static constexpr std::size_t kMostFlags = 32;
  Flags flags[kMostFlags];
  std::size_t flag_count = 0;
};

Before before;
Changes changes;
std::vector<std::FILE*> streams;  // that this execution has opened
std::optional<std::string> c_locale;
std::optional<std::locale> cxx_locale;
const char* changed_files = nullptr;

bool is_file(std::uint64_t number) {
  return number < kFiles;
}

long call(long number, std::initializer_list<std::uint64_t> arguments) {
  CallArguments all;
  std::copy(arguments.begin(), arguments.end(), all.value);
  return kernel(number, all);
}

// --- descriptors

void opened(long file) {
  if (file < 0 || !is_file(static_cast<std::uint64_t>(file))) return;
  changes.opened.set(static_cast<std::size_t>(file));
  changes.any = true;
}

// One from before goes, or becomes another.
void about_to_close(std::uint64_t file) {
  if (!is_file(file)) return;
  changes.any = true;
  if (changes.opened.test(file)) {
    changes.opened.reset(file);
  } else if (before.open.test(file) && changes.backup[file] == 0) {
    const long copy = call(SYS_fcntl, {file, F_DUPFD_CLOEXEC, kBackups});
    if (copy > 0) changes.backup[file] = static_cast<int>(copy);
    changes.closed = true;
  }
}

void about_to_read(std::uint64_t file) {
  constexpr std::uint64_t kOutput = 2;  // and 1: others write there, too
  if (!is_file(file) || changes.opened.test(file) || file - 1 < kOutput) return;
  if (!before.open.test(file) || before.position[file] < 0) return;
  changes.moved.set(file);
  changes.any = true;
}

// LIMIT: of so many at most; those beyond are told.
void save_flags(std::uint64_t file) {
  if (!is_file(file) || changes.opened.test(file) || !before.open.test(file)) {
    return;
  }
  const auto* const end = changes.flags + changes.flag_count;
  const bool is_known = std::any_of(
      changes.flags, const_cast<Flags*>(end),
      [&](const Flags& one) { return one.file == static_cast<int>(file); });
  if (is_known) return;
  if (changes.flag_count == Changes::kMostFlags) {
    return note_changed_files("executions change flags of many descriptors");
  }
  changes.flags[changes.flag_count++] = {
      static_cast<int>(file),
      static_cast<int>(call(SYS_fcntl, {file, F_GETFL})),
      static_cast<int>(call(SYS_fcntl, {file, F_GETFD}))};
  changes.any = true;
}

void put_back_flags() {
  for (std::size_t i = 0; i < changes.flag_count; ++i) {
    const Flags& flags = changes.flags[i];
    fcntl(flags.file, F_SETFL, flags.status);
    fcntl(flags.file, F_SETFD, flags.descriptor);
  }
}

void put_back_files() {
  for (std::size_t i = 0; i < kFiles && changes.opened.any(); ++i) {
    if (!changes.opened.test(i)) continue;
    close(static_cast<int>(i));
    changes.opened.reset(i);
  }
  for (std::size_t i = 0; i < kFiles && changes.closed; ++i) {
    if (changes.backup[i] == 0) continue;
    dup2(changes.backup[i], static_cast<int>(i));
    close(changes.backup[i]);
    changes.backup[i] = 0;
  }
  changes.closed = false;
  for (std::size_t i = 0; i < kFiles && changes.moved.any(); ++i) {
    if (!changes.moved.test(i)) continue;
    lseek(static_cast<int>(i), before.position[i], SEEK_SET);
    changes.moved.reset(i);
  }
}

// --- files by name

bool exists(std::uint64_t folder, std::uint64_t path) {
  return call(SYS_faccessat, {folder, path, F_OK}) == 0;
}

// What may come of opening this.
void about_to_open(std::uint64_t folder, std::uint64_t path,
                   std::uint64_t flags) {
  changes.any = true;
  const bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if ((flags & O_CREAT) && !is_nameless && !exists(folder, path)) {
    ++changes.new_files;
    return;
  }
  if (!(flags & (O_TRUNC | O_WRONLY | O_RDWR)) || is_nameless) return;
  struct stat status = {};
  if (call(SYS_newfstatat, {folder, path, bits_of(&status), 0}) == 0 &&
      S_ISREG(status.st_mode)) {
    note_changed_files("executions open a file from before to write it");
  }
}

void about_to_unlink() {
  if (changes.new_files > 0) {
    --changes.new_files;
  } else {
    note_changed_files("executions remove a file from before");
  }
}

// --- what a thread gets to know

// Of what a process is, not of what others do.
bool only_asks(long number, const std::uint64_t (&arguments)[6]) {
  switch (number) {
    case SYS_rt_sigprocmask:
    case SYS_rt_sigaction:
      return arguments[1] == 0;
    case SYS_prlimit64:
      return arguments[2] == 0;
    case SYS_sigaltstack:
      return arguments[0] == 0;
    case SYS_getpid:
    case SYS_getppid:
    case SYS_gettid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_getrlimit:
    case SYS_getcwd:
    case SYS_uname:
    case SYS_sched_getaffinity:
      return true;
    default:
      return false;
  }
}

void learn(void*, const CallTouch& touch) {
  constexpr std::uint64_t kMost = 4096;
  if (!touch.writes || !touch.is_known) return;
  const auto* bytes = reinterpret_cast<const unsigned char*>(touch.address);
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < std::min(touch.bytes, kMost); ++i) {
    hash = mix(hash, bytes[i]);
  }
  note_seen(hash);
}

// --- the rest of a process

void save_action(std::uint64_t signal) {
  if (signal >= kSignals || changes.actions[signal]) return;
  KernelAction old = {};
  call(SYS_rt_sigaction, {signal, 0, bits_of(&old), 8});
  changes.actions[signal] = old;
}

void save_timer(std::uint64_t which) {
  if (which >= 3 || changes.timers[which]) return;
  itimerval old = {};
  call(SYS_getitimer, {which, bits_of(&old)});
  changes.timers[which] = old;
}

void save_limit(std::uint64_t which) {
  if (which >= kLimits || changes.limits[which]) return;
  rlimit old = {};
  call(SYS_prlimit64, {0, which, 0, bits_of(&old)});
  changes.limits[which] = old;
}

void save_folder() {
  if (changes.folder >= 0) return;
  const long file = call(SYS_open, {bits_of("."), O_PATH | O_CLOEXEC});
  const long high = call(
      SYS_fcntl, {static_cast<std::uint64_t>(file), F_DUPFD_CLOEXEC, kBackups});
  call(SYS_close, {static_cast<std::uint64_t>(file)});
  changes.folder = static_cast<int>(high);
}

void save_name() {
  if (changes.name) return;
  char old[kName + 1] = {};
  call(SYS_prctl, {PR_GET_NAME, bits_of(old)});
  changes.name = old;
}

void save_control(std::uint64_t what) {
  if (what == PR_SET_NAME) return save_name();
  for (std::size_t i = 0; i < std::size(kControls); ++i) {
    if (kControls[i].sets != what || changes.controls[i]) continue;
    int now = 0;
    const long told = call(SYS_prctl, {kControls[i].gets, bits_of(&now)});
    changes.controls[i] =
        static_cast<std::uint64_t>(kControls[i].by_pointer ? long{now} : told);
  }
}

void put_back_controls() {
  if (changes.name) {
    call(SYS_prctl, {PR_SET_NAME, bits_of(changes.name->c_str())});
  }
  for (std::size_t i = 0; i < std::size(kControls); ++i) {
    if (!changes.controls[i]) continue;
    call(SYS_prctl, {kControls[i].sets, *changes.controls[i]});
  }
  if (changes.personality) call(SYS_personality, {*changes.personality});
  if (changes.io_priority) {
    call(SYS_ioprio_set, {kIoProcess, 0, *changes.io_priority});
  }
}

void save_personality() {
  if (changes.personality) return;
  constexpr std::uint64_t kAsks = UINT32_MAX;
  changes.personality =
      static_cast<std::uint64_t>(call(SYS_personality, {kAsks}));
}

void save_io_priority() {
  if (changes.io_priority) return;
  changes.io_priority =
      static_cast<std::uint64_t>(call(SYS_ioprio_get, {kIoProcess, 0}));
}

void save_signal_mask() {
  if (changes.signal_mask) return;
  std::uint64_t old = 0;
  call(SYS_rt_sigprocmask, {SIG_BLOCK, 0, bits_of(&old), 8});
  changes.signal_mask = old;
}

void save_signal_stack() {
  if (changes.signal_stack) return;
  stack_t old = {};
  call(SYS_sigaltstack, {0, bits_of(&old)});
  changes.signal_stack = old;
}

void put_back_signals() {
  if (changes.signal_mask) {
    call(SYS_rt_sigprocmask,
         {SIG_SETMASK, bits_of(&*changes.signal_mask), 0, 8});
  }
  if (changes.signal_stack) {
    call(SYS_sigaltstack, {bits_of(&*changes.signal_stack), 0});
  }
  for (std::size_t i = 0; i < kSignals; ++i) {
    if (!changes.actions[i]) continue;
    call(SYS_rt_sigaction, {i, bits_of(&*changes.actions[i]), 0, 8});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!changes.timers[i]) continue;
    call(SYS_setitimer, {i, bits_of(&*changes.timers[i]), 0});
  }
}

void put_back_rest() {
  if (changes.folder >= 0) {
    if (fchdir(changes.folder) != 0)
      note_changed_files("executions remove the folder they are in");
    close(changes.folder);
  }
  if (changes.creation_mask) umask(static_cast<mode_t>(*changes.creation_mask));
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (!changes.limits[i]) continue;
    call(SYS_prlimit64, {0, i, bits_of(&*changes.limits[i]), 0});
  }
  put_back_controls();
  if (changes.new_files != 0) {
    note_changed_files("executions make files that stay");
  }
}

void put_back_libraries() {
  if (c_locale) setlocale(LC_ALL, c_locale->c_str());
  if (cxx_locale) std::locale::global(*cxx_locale);
  c_locale.reset();
  cxx_locale.reset();
  if (environ != before.environment ||
      !std::equal(before.variables.begin(), before.variables.end(), environ)) {
    environ = before.environment;
    std::copy(before.variables.begin(), before.variables.end(), environ);
  }
  if (std::get_new_handler() != before.new_handler) {
    std::set_new_handler(before.new_handler);
  }
  if (std::get_terminate() != before.terminate_handler) {
    std::set_terminate(before.terminate_handler);
  }
  if (std::pmr::get_default_resource() != before.resource) {
    std::pmr::set_default_resource(before.resource);
  }
}

void remember_files() {
  for (std::size_t i = 0; i < kFiles; ++i) {
    const int file = static_cast<int>(i);
    const bool is_open = i < kBackups / 2 && fcntl(file, F_GETFD) >= 0;
    before.open.set(i, is_open);
    before.position[i] = is_open ? lseek(file, 0, SEEK_CUR) : -1;
  }
}

// The C library frees an array of its own making when it makes the next one:
// executions begin with one of ours.
void take_environment() {
  static char** ours = nullptr;
  if (environ == nullptr || environ == ours) return;
  std::size_t count = 0;
  while (environ[count] != nullptr) ++count;
  auto* const copy = new char*[count + 1];
  std::copy(environ, environ + count + 1, copy);
  clearenv();
  environ = ours = copy;
}

void remember_libraries() {
  take_environment();
  before.environment = environ;
  before.variables.clear();
  for (char** at = environ; at != nullptr; ++at) {
    before.variables.push_back(*at);
    if (*at == nullptr) break;
  }
  before.new_handler = std::get_new_handler();
  before.terminate_handler = std::get_terminate();
  before.resource = std::pmr::get_default_resource();
}

}  // namespace

void watch_process() {
  remember_files();
  remember_libraries();
  changes = Changes{};
  changed_files = nullptr;
  watch_calls();
}

void stop_watching_process() {
  stop_watching_calls();
}

const char* left_files() {
  return changed_files;
}

void note_changed_files(const char* how) {
  if (changed_files == nullptr) changed_files = how;
}

void before_call(long number, const std::uint64_t (&arguments)[6]) {
  if (!only_asks(number, arguments)) note_unseen();
  const std::uint64_t first = arguments[0];
  switch (number) {
    case SYS_close:
      return about_to_close(first);
    case SYS_dup2:
    case SYS_dup3:
      return about_to_close(arguments[1]);
    case SYS_close_range:
      for (std::uint64_t i = first; i <= arguments[1] && is_file(i); ++i) {
        about_to_close(i);
      }
      return;
    case SYS_read:
    case SYS_readv:
    case SYS_lseek:
    case SYS_getdents64:
    case SYS_getdents:
      return about_to_read(first);
    case SYS_open:
      return about_to_open(static_cast<std::uint64_t>(AT_FDCWD), first,
                           arguments[1]);
    case SYS_openat:
      return about_to_open(first, arguments[1], arguments[2]);
    case SYS_creat:
      return about_to_open(static_cast<std::uint64_t>(AT_FDCWD), first,
                           O_CREAT | O_WRONLY | O_TRUNC);
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rmdir:
      return about_to_unlink();
    case SYS_mkdir:
    case SYS_mkdirat:
      ++changes.new_files;
      changes.any = true;
      return;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_mknod:
    case SYS_mknodat:
    case SYS_truncate:
    case SYS_chmod:
    case SYS_fchmodat:
    case SYS_chown:
      return note_changed_files(
          "executions change names or properties of files");
    default:
      break;
  }
  const bool sets = arguments[1] != 0;
  switch (number) {
    case SYS_chdir:
    case SYS_fchdir:
      save_folder();
      break;
    case SYS_rt_sigprocmask:
      if (!sets) return;
      save_signal_mask();
      break;
    case SYS_rt_sigaction:
      if (!sets) return;
      save_action(first);
      break;
    case SYS_sigaltstack:
      if (first == 0) return;
      save_signal_stack();
      break;
    case SYS_fcntl:
      if (arguments[1] == F_SETFL || arguments[1] == F_SETFD) save_flags(first);
      return;
    case SYS_setitimer:
      save_timer(first);
      break;
    case SYS_alarm:
      save_timer(ITIMER_REAL);
      break;
    case SYS_setrlimit:
      save_limit(first);
      break;
    case SYS_prlimit64:
      if (arguments[2] == 0) return;
      save_limit(arguments[1]);
      break;
    case SYS_prctl:
      save_control(first);
      break;
    case SYS_personality:
      save_personality();
      break;
    case SYS_ioprio_set:
      save_io_priority();
      break;
    default:
      return;
  }
  changes.any = true;
}

void after_call(long number, const std::uint64_t (&arguments)[6], long result) {
  note_seen(static_cast<std::uint64_t>(result));
  if (result >= 0) each_touch(number, arguments, learn, nullptr);
  if (result < 0) {
    if ((number == SYS_mkdir || number == SYS_mkdirat) &&
        changes.new_files > 0) {
      --changes.new_files;
    }
    return;
  }
  switch (number) {
    case SYS_open:
    case SYS_openat:
    case SYS_creat:
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_socket:
    case SYS_accept:
    case SYS_accept4:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_timerfd_create:
    case SYS_signalfd:
    case SYS_signalfd4:
    case SYS_memfd_create:
    case SYS_inotify_init:
    case SYS_inotify_init1:
      return opened(result);
    case SYS_fcntl:
      if (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC) {
        opened(result);
      }
      return;
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_socketpair: {
      const auto* ends = reinterpret_cast<const int*>(
          arguments[number == SYS_socketpair ? 3 : 0]);
      opened(ends[0]);
      return opened(ends[1]);
    }
    case SYS_umask:
      if (!changes.creation_mask) changes.creation_mask = result;
      changes.any = true;
      return;
    default:
      return;
  }
}

void note_stream(std::FILE* stream, const char* path, const char* mode) {
  if (stream == nullptr) return;
  const OwnWork own;  // the list is ours
  streams.push_back(stream);
  stream_begins(stream);
  if (path != nullptr && mode[0] != 'r' && std::strncmp(path, "/dev/", 5)) {
    note_changed_files("executions open a file to write it");
  }
}

void forget_stream(std::FILE* stream) {
  const OwnWork own;
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end()) streams.erase(found);
}

void note_reading(const std::FILE* stream) {
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) {
    note_changed_files("executions read a stream that was open before");
  }
}

void put_back_process() {
  watch_calls_again();
  for (std::FILE* const stream : streams) {
    __fpurge(stream);  // there may be no room for what it has not yet written
    real_fclose(stream);
  }
  streams.clear();
  if (changes.any) {
    put_back_files();
    put_back_flags();
    put_back_signals();
    put_back_rest();
    changes = Changes{};
  }
  put_back_libraries();
  put_back_hidden_data();
  if (!unload_libraries()) {
    note_changed_files("executions load a library (dlopen) that stays");
  }
  library_data_restore();
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

// Locales of the process.

PLUMB_STAND_IN(char*, setlocale, (int category, const char* name)) {
  if (active && name != nullptr && !c_locale) {
    const InLibrary quiet;
    c_locale = real_setlocale(LC_ALL, nullptr);
  }
  if (active && name != nullptr) note_unseen();
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.uses_hidden(&c_locale, name != nullptr);
      if (name != nullptr) to.reads_text(name);
    });
  }
  const InLibrary quiet;
  return real_setlocale(category, name);
}

std::locale plumb_global_locale(const std::locale& wanted) asm(
    "_ZNSt6locale6globalERKS_");
std::locale plumb_global_locale(const std::locale& wanted) {
  static constinit Real<std::locale(const std::locale&)> real{
      "_ZNSt6locale6globalERKS_"};
  if (active && !cxx_locale) {
    const InLibrary quiet;
    cxx_locale = std::locale();
    if (!c_locale) c_locale = std::setlocale(LC_ALL, nullptr);
  }
  return real(wanted);
}
