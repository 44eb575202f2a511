// SPDX-License-Identifier: Apache-2.0
// Output files: each is either as it was or whole, whatever fails on the way.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/budget.h"
#include "base/input_error.h"
#include "base/staged_file.h"
#include "cli/common.h"
#include "cli/inputs.h"

namespace plumb::cli {

namespace {

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw InputError(Place{.source = path, .text = ""},
                   fmt::format("cannot {}: {}", doing, std::strerror(errno)));
}

// A file with several names or of another owner keeps both: it is written as
// it lies there, but only when the space that it needs is ours.
void write_in_place(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "open this file for writing");
  const auto size = static_cast<off_t>(text.size());
  bool fine = size == 0 || fallocate(file, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ||
              errno == EOPNOTSUPP || errno == ENOSYS;
  fine = fine && write_all(file, text) && ftruncate(file, size) == 0;
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!fine) errno = error;
  if (!fine || !closed) fail(path, "write");
}

// How long to wait for somebody at the other end of a pipe.  Who wants this
// process to end does not wait.
bool waits(std::chrono::steady_clock::time_point since) {
  constexpr std::chrono::milliseconds kPatience{2000}, kHaste{300};
  return std::chrono::steady_clock::now() - since <
         (Budget::interrupted ? kHaste : kPatience);
}

// To a pipe that may have no reader, or one that does not read.
void write_to_pipe(const std::string& path, std::string_view text) {
  const auto start = std::chrono::steady_clock::now();
  int file = -1;
  while ((file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    if (errno != ENXIO) fail(path, "open this file for writing");
    if (!waits(start)) {
      throw InputError(Place{.source = path, .text = ""},
                       "cannot write: nobody reads from this pipe");
    }
    usleep(20'000);
  }
  auto last = std::chrono::steady_clock::now();
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      last = std::chrono::steady_clock::now();
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN || (Budget::interrupted && !waits(last))) {
      const int error = errno;
      close(file);
      errno = error;
      fail(path, "write");
    }
    pollfd ready{file, POLLOUT, 0};
    poll(&ready, 1, 100);
  }
  close(file);
}

void write_to_device(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (file < 0) fail(path, "open this file for writing");
  const bool written = write_all(file, text);
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!written) errno = error;
  if (!written || !closed) fail(path, "write");
}

}  // namespace

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (std::fflush(stdout) != 0 || !write_all(STDOUT_FILENO, text)) {
      fail("<stdout>", "write");
    }
    return;
  }
  struct stat old {};
  const bool exists = stat(path.c_str(), &old) == 0;
  require_no_input(path);
  if (exists && S_ISFIFO(old.st_mode)) return write_to_pipe(path, text);
  if (exists && !S_ISREG(old.st_mode)) return write_to_device(path, text);
  if (exists && access(path.c_str(), W_OK) != 0) {
    fail(path, "open this file for writing");
  }
  StagedFile staged;
  if (!staged.open(path)) {
    if (!exists) fail(path, "open this file for writing");
    return write_in_place(path, text);  // of the folder we may only read
  }
  // Also where it will be written in place: is there space for it?
  if (!write_all(staged.file(), text)) fail(path, "write");
  if (staged.loses_something()) {
    staged.give_up();
    return write_in_place(path, text);
  }
  if (!staged.finish()) fail(path, "write");
}

}  // namespace plumb::cli
