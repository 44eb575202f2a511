// SPDX-License-Identifier: Apache-2.0
#include "base/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

namespace plumb {

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// What a new file may be used for, unless an old one says otherwise.
mode_t usual_permissions() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::optional<std::string> end_of_links(std::string path) {
  constexpr int kMostLinks = 40;  // as Linux has it
  for (int i = 0; i <= kMostLinks; ++i) {
    char link[PATH_MAX];
    const ssize_t size = readlink(path.c_str(), link, sizeof(link));
    if (size < 0) return path;
    const std::string_view next(link, static_cast<std::size_t>(size));
    path = next.starts_with('/') ? std::string(next)
                                 : fmt::format("{}/{}", folder_of(path), next);
  }
  errno = ELOOP;
  return {};
}

bool StagedFile::open(const std::string& path) {
  give_up();
  const auto target = end_of_links(path);
  if (!target) return false;
  target_ = *target;
#ifdef O_TMPFILE
  file_ =
      ::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
  if (file_ < 0) {
    std::string name = target_ + ".XXXXXX";
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) return false;
    name_ = name;
  }
  struct stat old {};
  if (stat(target_.c_str(), &old) != 0) {
    fchmod(file_, usual_permissions());
    return true;
  }
  struct stat mine {};
  const bool same_owner =
      fstat(file_, &mine) == 0 &&
      ((mine.st_uid == old.st_uid && mine.st_gid == old.st_gid) ||
       fchown(file_, old.st_uid, old.st_gid) == 0);
  fchmod(file_, old.st_mode & 07777);
  loses_something_ = old.st_nlink > 1 || !same_owner;
  return true;
}

// A file without a name gets one that nobody has, for a moment.
bool StagedFile::name_it() {
  if (!name_.empty()) return true;
  const std::string here = fmt::format("/proc/self/fd/{}", file_);
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    std::string name = fmt::format("{}.{}-{}", target_, getpid(), attempt);
    if (linkat(AT_FDCWD, here.c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) == 0) {
      name_ = std::move(name);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

bool StagedFile::finish() {
  if (!name_it()) return false;
  // Some file systems tell only now that something could not be written.
  if (close(std::exchange(file_, -1)) != 0 ||
      std::rename(name_.c_str(), target_.c_str()) != 0) {
    return false;
  }
  name_.clear();
  return true;
}

void StagedFile::give_up() {
  const int error = errno;
  if (!name_.empty()) unlink(name_.c_str());
  if (file_ >= 0) close(file_);
  name_.clear();
  file_ = -1;
  errno = error;
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

}  // namespace plumb
