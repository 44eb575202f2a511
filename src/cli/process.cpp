// SPDX-License-Identifier: Apache-2.0
#include "cli/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
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
                          const std::array<int, 3>& files, int failed) {
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

// Reads both to their ends.  After an interrupt the child is told.
void drain(pid_t child, int output, int errors, ProcessResult& result) {
  std::array<pollfd, 2> ends = {{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  std::array<std::string*, 2> texts = {&result.output, &result.errors};
  bool told = false;
  std::array<char, 1 << 16> block;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    poll(ends.data(), ends.size(), 100);
    if (Budget::interrupted && !told) {
      told = true;
      kill(child, SIGINT);
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t got = read(ends[i].fd, block.data(), block.size());
      if (got > 0) {
        texts[i]->append(block.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        ends[i].fd = -1;
      }
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  bool told = false;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Budget::interrupted && !told) {
      told = true;
      kill(child, SIGINT);
    }
    usleep(2000);
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
  const pid_t child = fork();
  if (child == 0) {
    execute(program.c_str(), words.data(), options, files, failed.write);
  }
  if (input >= 0) close(input);
  output.close_write();
  errors.close_write();
  failed.close_write();
  if (child < 0) {
    throw InputError(
        fmt::format("cannot start '{}': {}", argv[0], std::strerror(errno)));
  }
  ProcessResult result;
  if (options.keep_output) drain(child, output.read, errors.read, result);
  const int status = wait_for(child);
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
