// SPDX-License-Identifier: Apache-2.0
#include "cli/seal_key.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/staged_file.h"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;
using verify::SealKey;

fs::path key_file() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') {
    return fs::path(state) / "plumbline" / "seal";
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fs::path(home) / ".local" / "state" / "plumbline" / "seal";
}

// Only if it is ours, and nobody else can read it.
std::optional<SealKey> read_key(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat about {};
  SealKey key = {};
  const bool fine = fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
                    about.st_uid == geteuid() && (about.st_mode & 077) == 0 &&
                    read(file, key.data(), sizeof key) == sizeof key;
  close(file);
  if (!fine) return std::nullopt;
  return key;
}

// Whoever comes first decides: a key is never replaced.
void make_key(const fs::path& path) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  SealKey key = {};
  if (getrandom(key.data(), sizeof key, 0) != sizeof key) return;
  std::string name = path.string() + ".XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return;
  const bool written =
      write_all(file, {reinterpret_cast<const char*>(key.data()), sizeof key});
  if (close(file) == 0 && written) {
    [[maybe_unused]] const int linked = link(name.c_str(), path.c_str());
  }
  unlink(name.c_str());
}

}  // namespace

SealKey users_seal_key() {
  const fs::path path = key_file();
  if (path.empty()) return {};
  if (const auto key = read_key(path)) return *key;
  make_key(path);
  return read_key(path).value_or(SealKey());
}

}  // namespace plumb::cli
