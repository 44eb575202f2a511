// SPDX-License-Identifier: Apache-2.0
#include "cli/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "base/budget.h"
#include "base/input_error.h"

namespace plumb::cli {

namespace {

// Both ends are closed at the latest when this goes.
struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw InputError(
          fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_read() {
    if (read >= 0) close(read);
    read = -1;
  }
  void close_write() {
    if (write >= 0) close(write);
    write = -1;
  }
};

std::vector<char*> pointers_to(const std::vector<std::string>& argv) {
  std::vector<char*> out;
  for (const std::string& word : argv) {
    out.push_back(const_cast<char*>(word.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

// What the child does: only what is safe after a fork with threads.
[[noreturn]] void execute(const char* program, char* const* argv,
                          const ProcessOptions& options,
                          const std::array<int, 3>& files, int failed,
                          pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it was too late for that
  for (int i = 0; i < 3; ++i) {
    const int file = files[static_cast<std::size_t>(i)];
    if (file >= 0) dup2(file, i);
  }
  if (options.fixed_addresses) {
    const int now = personality(0xffffffff);
    if (now != -1) {
      personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
    }
  }
  execv(program, argv);
  const int error = errno;
  [[maybe_unused]] const auto written = write(failed, &error, sizeof(error));
  _exit(127);
}

// Those that this process has started, and not yet waited for.
std::mutex children_mutex;
std::set<pid_t> children;

pid_t parent_of(const char* process) {
  std::array<char, 512> text{};
  const std::string name = fmt::format("/proc/{}/stat", process);
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t got = read(file, text.data(), text.size() - 1);
  close(file);
  // The name of its program, in parentheses, may be anything.
  const char* const rest = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
  return rest != nullptr ? std::atoi(rest + sizeof(") S")) : -1;
}

// What children leave behind comes to this process, as their subreaper.
void kill_orphans() {
  const std::lock_guard lock(children_mutex);
  for (bool found = true; found;) {
    found = false;
    DIR* const all = opendir("/proc");
    if (all == nullptr) return;
    while (const dirent* const entry = readdir(all)) {
      const pid_t process = std::atoi(entry->d_name);
      if (process <= 0 || children.contains(process)) continue;
      if (parent_of(entry->d_name) != getpid()) continue;
      kill(process, SIGKILL);
      found |= waitpid(process, nullptr, 0) == process;
    }
    closedir(all);
  }
}

// A process while it runs.
class Child {
 public:
  using Clock = std::chrono::steady_clock;

  Child(pid_t process, const ProcessOptions& options, Pipe& output,
        Pipe& errors, ProcessResult& result)
      : process_(process),
        options_(options),
        pipes_{&output, &errors},
        texts_{&result.output, &result.errors},
        result_(result) {
    if (options.keep_output) return;
    output.close_read();
    errors.close_read();
  }

  // Returns the status of its end, as waitpid() gives it.
  int wait();

 private:
  bool read_some(int milliseconds);
  void end_if_due();
  void end_within(std::optional<Clock::time_point>& deadline,
                  std::chrono::milliseconds patience, int first_signal);

  pid_t process_;
  const ProcessOptions& options_;
  std::array<Pipe*, 2> pipes_;
  std::array<std::string*, 2> texts_;
  ProcessResult& result_;
  std::optional<Clock::time_point> interrupted_, done_;  // when to kill it
};

// Returns false if there was nothing within that time.
bool Child::read_some(int milliseconds) {
  std::array<pollfd, 2> ends = {
      {{pipes_[0]->read, POLLIN, 0}, {pipes_[1]->read, POLLIN, 0}}};
  if (ends[0].fd < 0 && ends[1].fd < 0) {
    usleep(static_cast<useconds_t>(std::min(milliseconds, 2)) * 1000);
    return false;
  }
  if (poll(ends.data(), ends.size(), milliseconds) <= 0) return false;
  std::array<char, 1 << 16> block;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].fd < 0 || ends[i].revents == 0) continue;
    const ssize_t got = read(ends[i].fd, block.data(), block.size());
    if (got > 0) {
      texts_[i]->append(block.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      pipes_[i]->close_read();  // nobody shall wait until we read
    }
  }
  return true;
}

void Child::end_within(std::optional<Clock::time_point>& deadline,
                       std::chrono::milliseconds patience, int first_signal) {
  const auto now = Clock::now();
  if (!deadline) {
    deadline = now + patience;
    if (first_signal != 0) kill(process_, first_signal);
  } else if (now > *deadline) {
    kill(process_, SIGKILL);
  }
}

void Child::end_if_due() {
  constexpr std::chrono::milliseconds kHaste{800}, kPatience{5000};
  if (Budget::interrupted) end_within(interrupted_, kHaste, SIGINT);
  if (options_.while_waiting && options_.while_waiting()) {
    end_within(done_, kPatience, 0);
  } else if (Clock::now() > options_.latest_end && !result_.was_late) {
    result_.was_late = true;
    kill(process_, SIGKILL);
  }
}

int Child::wait() {
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    read_some(20);
    end_if_due();
  }
  {
    const std::lock_guard lock(children_mutex);
    children.erase(process_);
  }
  if (options_.kills_orphans) kill_orphans();
  // No more than a pipe holds: what it started may hold the other ends, and
  // write for ever.
  for (int i = 0; i < 4 && read_some(0); ++i) {
  }
  return status;
}

int input_of(const std::string& text) {
  if (text.empty()) return open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = memfd_create("plumb", MFD_CLOEXEC);
  if (file < 0) return -1;
  const auto size = static_cast<ssize_t>(text.size());
  if (write(file, text.data(), text.size()) != size) {
    close(file);
    return -1;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? name : "";
  }
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file =
        fmt::format("{}/{}", end > 0 ? rest.substr(0, end) : ".", name);
    if (access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

ProcessResult run_process(const std::vector<std::string>& argv,
                          const ProcessOptions& options) {
  const std::string program = find_program(argv[0]);
  if (program.empty()) {
    throw InputError(fmt::format("there is no program '{}'", argv[0]));
  }
  const std::vector<char*> words = pointers_to(argv);
  Pipe output, errors, failed;
  const int input = input_of(options.input);
  const std::array<int, 3> files = {input,
                                    options.keep_output ? output.write : -1,
                                    options.keep_output ? errors.write : -1};
  if (options.kills_orphans) prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getpid();
  std::unique_lock lock(children_mutex);
  const pid_t child = fork();
  if (child == 0) {
    execute(program.c_str(), words.data(), options, files, failed.write,
            parent);
  }
  if (child > 0) children.insert(child);
  lock.unlock();
  if (input >= 0) close(input);
  output.close_write();
  errors.close_write();
  failed.close_write();
  if (child < 0) {
    throw InputError(
        fmt::format("cannot start '{}': {}", argv[0], std::strerror(errno)));
  }
  ProcessResult result;
  const int status = Child(child, options, output, errors, result).wait();
  int error = 0;
  if (read(failed.read, &error, sizeof(error)) == sizeof(error)) {
    throw InputError(
        fmt::format("cannot start '{}': {}", argv[0], std::strerror(error)));
  }
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return result;
}

void become(const std::vector<std::string>& argv) {
  const std::string program = find_program(argv[0]);
  if (program.empty()) {
    throw InputError(fmt::format("there is no program '{}'", argv[0]));
  }
  const std::vector<char*> words = pointers_to(argv);
  execv(program.c_str(), words.data());
  throw InputError(
      fmt::format("cannot start '{}': {}", argv[0], std::strerror(errno)));
}

}  // namespace plumb::cli
