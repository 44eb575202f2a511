// SPDX-License-Identifier: Apache-2.0
// Files that are either whole or not there.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/input_error.h"
#include "cli/common.h"

namespace plumb::cli {

namespace {

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw InputError(Place{.source = path, .text = ""},
                   fmt::format("cannot {}: {}", doing, std::strerror(errno)));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_and_close(int file, std::string_view text) {
  const bool written = write_all(file, text);
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!written) errno = error;
  return written && closed;
}

// Devices, pipes, and files in folders that only let us write to them.
void write_in_place(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) fail(path, "open this file for writing");
  if (!write_and_close(file, text)) fail(path, "write");
}

// A link stays a link: what it leads to is written.
std::string target_of(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string target = resolved;
  std::free(resolved);
  return target;
}

// What a new file may be used for, unless the old one says otherwise.
mode_t permissions(const struct stat* old) {
  if (old != nullptr) return old->st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Beside the file, so that it can take the place of it at once.  Returns false
// if no file can be made there.
bool replace(const std::string& path, const struct stat* old,
             const std::string& text) {
  const std::string target = target_of(path);
  std::string beside = target + ".XXXXXX";
  const int file = mkstemp(beside.data());
  if (file < 0) return false;
  fchmod(file, permissions(old));
  if (write_and_close(file, text) &&
      std::rename(beside.c_str(), target.c_str()) == 0) {
    return true;
  }
  const int error = errno;
  unlink(beside.c_str());
  errno = error;
  fail(path, "write");
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
  const bool is_regular = !exists || S_ISREG(old.st_mode);
  const bool may_replace = !exists || access(path.c_str(), W_OK) == 0;
  if (is_regular && may_replace && replace(path, exists ? &old : nullptr, text))
    return;
  write_in_place(path, text);
}

}  // namespace plumb::cli
