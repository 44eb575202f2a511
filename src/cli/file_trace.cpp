// SPDX-License-Identifier: Apache-2.0
#include "cli/file_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/compiler_environment.h"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;  // nothing is seen
#endif

// What a system call does with the file that it names.
enum class Use : std::uint8_t { kRead, kOpen, kOpen2, kWrite, kConnect };
struct Call {
  long number;
  int folder;  // argument: that names are relative to; -1: the working one
  int name;    // argument
  Use use;
};
constexpr std::array kCalls = std::to_array<Call>({
#ifdef SYS_open  // newer machines have the other half only
    {SYS_open, -1, 0, Use::kOpen},      {SYS_creat, -1, 0, Use::kWrite},
    {SYS_stat, -1, 0, Use::kRead},      {SYS_lstat, -1, 0, Use::kRead},
    {SYS_access, -1, 0, Use::kRead},    {SYS_readlink, -1, 0, Use::kRead},
    {SYS_unlink, -1, 0, Use::kWrite},   {SYS_rename, -1, 0, Use::kWrite},
    {SYS_rename, -1, 1, Use::kWrite},   {SYS_link, -1, 1, Use::kWrite},
    {SYS_symlink, -1, 1, Use::kWrite},  {SYS_mkdir, -1, 0, Use::kWrite},
    {SYS_rmdir, -1, 0, Use::kWrite},
#endif
    {SYS_openat, 0, 1, Use::kOpen},     {SYS_openat2, 0, 1, Use::kOpen2},
    {SYS_newfstatat, 0, 1, Use::kRead}, {SYS_statx, 0, 1, Use::kRead},
    {SYS_faccessat, 0, 1, Use::kRead},  {SYS_faccessat2, 0, 1, Use::kRead},
    {SYS_readlinkat, 0, 1, Use::kRead}, {SYS_execve, -1, 0, Use::kRead},
    {SYS_execveat, 0, 1, Use::kRead},   {SYS_unlinkat, 0, 1, Use::kWrite},
    {SYS_renameat, 0, 1, Use::kWrite},  {SYS_renameat, 2, 3, Use::kWrite},
    {SYS_renameat2, 0, 1, Use::kWrite}, {SYS_renameat2, 2, 3, Use::kWrite},
    {SYS_linkat, 2, 3, Use::kWrite},    {SYS_symlinkat, 1, 2, Use::kWrite},
    {SYS_mkdirat, 0, 1, Use::kWrite},   {SYS_connect, -1, 1, Use::kConnect},
});

// Stops this process, and what it starts, at those calls.
bool filter_calls() {
  std::vector<sock_filter> code = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Call& call : kCalls) {
    const auto number = static_cast<std::uint32_t>(call.number);
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  // What would open files behind our back is not there.
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1));
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(code.size()),
                              code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// A text in the memory of another process, up to its zero.
std::string text_at(pid_t process, std::uint64_t address) {
  constexpr std::size_t kPage = 4096;
  std::string out;
  while (out.size() < 2 * kPage) {
    std::array<char, kPage> block{};
    const std::size_t room = kPage - (address + out.size()) % kPage;
    iovec here = {block.data(), room};
    iovec there = {reinterpret_cast<void*>(address + out.size()), room};
    const ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0) break;
    const std::size_t length = strnlen(block.data(), room);
    out.append(block.data(), length);
    if (length < room) break;
  }
  return out;
}

std::uint64_t number_at(pid_t process, std::uint64_t address) {
  std::uint64_t out = 0;
  iovec here = {&out, sizeof out};
  iovec there = {reinterpret_cast<void*>(address), sizeof out};
  process_vm_readv(process, &here, 1, &there, 1, 0);
  return out;
}

std::string link_target(const std::string& link) {
  std::error_code error;
  return fs::read_symlink(link, error).string();
}

// One command and all that it starts, from stop to stop.
class Tracer {
 public:
  // Returns the status of the command's end, as waitpid() gives it.
  int follow(pid_t command);
  const TracedFiles& files() const { return files_; }
  // "": all files were seen.
  const std::string& why_not() const { return why_not_; }
  void fail(const std::string& why) { why_not_ = why; }

 private:
  void note_call(pid_t process);
  void note(pid_t process, const Call& call,
            const std::array<std::uint64_t, 6>& arguments);
  bool writes(pid_t process, const Call& call,
              const std::array<std::uint64_t, 6>& arguments) const;
  void note_connection(pid_t process, std::uint64_t address);

  TracedFiles files_;
  std::string why_not_;
};

void Tracer::note_connection(pid_t process, std::uint64_t address) {
  const auto family =
      static_cast<sa_family_t>(number_at(process, address) & 0xFFFF);
  const std::string path =
      text_at(process, address + offsetof(sockaddr_un, sun_path));
  // Names of users are looked up there.
  if (family == AF_UNIX && path.find("/nscd/") != path.npos) return;
  fail("the compiler asks another process to do its work");
}

bool Tracer::writes(pid_t process, const Call& call,
                    const std::array<std::uint64_t, 6>& arguments) const {
  if (call.use != Use::kOpen && call.use != Use::kOpen2) {
    return call.use == Use::kWrite;
  }
  const auto after = static_cast<std::size_t>(call.name) + 1;
  const std::uint64_t flags = call.use == Use::kOpen2
                                  ? number_at(process, arguments[after])
                                  : arguments[after];
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

void Tracer::note(pid_t process, const Call& call,
                  const std::array<std::uint64_t, 6>& arguments) {
  const std::uint64_t address = arguments[static_cast<std::size_t>(call.name)];
  if (call.use == Use::kConnect) return note_connection(process, address);
  std::string name = text_at(process, address);
  if (name.empty()) return;  // of a file that is open already
  if (name[0] != '/') {
    const auto folder =
        call.folder < 0 ? AT_FDCWD
                        : static_cast<int>(
                              arguments[static_cast<std::size_t>(call.folder)]);
    const std::string base = link_target(
        folder == AT_FDCWD ? fmt::format("/proc/{}/cwd", process)
                           : fmt::format("/proc/{}/fd/{}", process, folder));
    if (base.empty() || base[0] != '/') return fail("a folder was not found");
    name = base + '/' + name;
  }
  if (writes(process, call, arguments)) {
    files_.written.insert(std::move(name));
  } else if (call.use == Use::kRead) {
    files_.looked_for.insert(std::move(name));
  } else {
    files_.read.insert(std::move(name));
  }
}

void Tracer::note_call(pid_t process) {
  __ptrace_syscall_info info{};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info) <= 0 ||
      info.op != PTRACE_SYSCALL_INFO_SECCOMP) {
    return fail("the system does not tell what a process does");
  }
  if (info.arch != kMachine) {
    return fail("the compiler is a program for another machine");
  }
  std::array<std::uint64_t, 6> arguments{};
  std::copy(std::begin(info.seccomp.args), std::end(info.seccomp.args),
            arguments.begin());
  for (const Call& call : kCalls) {
    if (static_cast<std::uint64_t>(call.number) == info.seccomp.nr) {
      note(process, call, arguments);
    }
  }
}

int Tracer::follow(pid_t command) {
  constexpr long kOptions = PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL |
                            PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                            PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
  int end = 0;
  int status = 0;
  for (;;) {
    const pid_t process = waitpid(-1, &status, __WALL);
    if (process < 0) {
      if (errno == EINTR) continue;
      return end;  // all have ended
    }
    if (!WIFSTOPPED(status)) {
      if (process == command) end = status;
      continue;
    }
    int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (event == PTRACE_EVENT_SECCOMP) note_call(process);
    if (event == PTRACE_EVENT_EXEC) {
      // Of a script, what it is run by.
      files_.read.insert(link_target(fmt::format("/proc/{}/exe", process)));
    }
    // A process that is new, and the command itself, begin with a stop.
    if (event != 0 || signal == SIGSTOP) signal = 0;
    if (process == command && event == 0 && WSTOPSIG(status) == SIGSTOP) {
      ptrace(PTRACE_SETOPTIONS, process, nullptr, kOptions);
    }
    ptrace(PTRACE_CONT, process, nullptr, static_cast<long>(signal));
  }
}

// Becomes the command, which is looked for in PATH; a byte in `unseen` tells
// that its files will not be seen.
[[noreturn]] void become_command(char** argv, const std::string& folder,
                                 int unseen, pid_t parent) {
  // Traced by nobody who knows, it would stop for ever.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  // ccache does not see that a header would now be found earlier, and it is
  // of no use here: what was built is kept anyway.
  forget_session();
  setenv("CCACHE_DISABLE", "1", 1);
  setenv("TMPDIR", folder.c_str(), 1);  // which somebody cleans up
  if (kMachine == 0 || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0 ||
      raise(SIGSTOP) != 0 || !filter_calls()) {
    [[maybe_unused]] const auto written = write(unseen, "x", 1);
  }
  execvp(argv[0], argv);
  const std::string why =
      fmt::format("cannot start '{}': {}\n", argv[0], std::strerror(errno));
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, why.data(), why.size());
  _exit(127);
}

// Names end in zeros, since they may have everything else in them.
void write_notes(const char* file, const Tracer& tracer) {
  std::ofstream out(file, std::ios::binary);
  out << (tracer.why_not().empty() ? "seen" : tracer.why_not()) << '\0';
  const auto write_all = [&](char kind, const std::set<std::string>& names) {
    for (const std::string& name : names) out << kind << name << '\0';
  };
  write_all('r', tracer.files().read);
  write_all('l', tracer.files().looked_for);
  write_all('w', tracer.files().written);
  out << "end" << '\0';
}

}  // namespace

void TracedFiles::add(const TracedFiles& other) {
  read.insert(other.read.begin(), other.read.end());
  looked_for.insert(other.looked_for.begin(), other.looked_for.end());
  written.insert(other.written.begin(), other.written.end());
}

void TracedFiles::leave_out(const std::string& folder) {
  for (auto* const names : {&read, &looked_for, &written}) {
    std::erase_if(*names, [&](const std::string& name) {
      return name == folder || name.starts_with(folder + '/');
    });
  }
}

int note_files(char** argv) {
  const char* const notes = argv[0];
  if (notes == nullptr || argv[1] == nullptr) return 2;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(number, SIG_DFL);
  }
  std::array<int, 2> unseen{};
  if (pipe2(unseen.data(), O_CLOEXEC) != 0) return 2;
  const pid_t parent = getpid();
  const pid_t command = fork();
  if (command < 0) return 2;
  if (command == 0) {
    become_command(argv + 1, fs::absolute(notes).parent_path(), unseen[1],
                   parent);
  }
  close(unseen[1]);
  Tracer tracer;
  const int status = tracer.follow(command);
  char byte = 0;
  if (read(unseen[0], &byte, 1) == 1) {
    tracer.fail("the system lets nobody see what a compiler reads");
  }
  write_notes(notes, tracer);
  if (WIFSIGNALED(status)) {
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  return WEXITSTATUS(status);
}

TracedProcess run_traced(const std::vector<std::string>& argv,
                         const std::string& notes,
                         const ProcessOptions& options) {
  std::vector<std::string> command = {"/proc/self/exe", kNoteFiles, notes};
  command.insert(command.end(), argv.begin(), argv.end());
  TracedProcess out;
  out.result = run_process(command, options);
  std::ifstream in(notes, std::ios::binary);
  std::string line;
  std::getline(in, line, '\0');
  out.why_not = line == "seen" ? "" : line;
  TracedFiles files;
  bool is_whole = false;
  while (std::getline(in, line, '\0')) {
    if (line.starts_with('r')) files.read.insert(line.substr(1));
    if (line.starts_with('l')) files.looked_for.insert(line.substr(1));
    if (line.starts_with('w')) files.written.insert(line.substr(1));
    is_whole = line == "end";
  }
  if (!is_whole && out.why_not.empty()) {
    out.why_not = "what the compiler reads was not noted";
  }
  if (out.why_not.empty()) out.files = std::move(files);
  return out;
}

}  // namespace plumb::cli
