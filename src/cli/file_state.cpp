// SPDX-License-Identifier: Apache-2.0
#include "cli/file_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

// The clock of file systems: some count in steps of two seconds.
constexpr std::time_t kCoarse = 2;

bool is_before(timespec a, timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

std::string marks_of(const struct stat& about) {
  return fmt::format("{},{}.{:09},{}.{:09},{},{}", about.st_size,
                     about.st_mtim.tv_sec, about.st_mtim.tv_nsec,
                     about.st_ctim.tv_sec, about.st_ctim.tv_nsec, about.st_ino,
                     about.st_dev);
}

std::string digest_of_folder(const std::string& name) {
  std::error_code error;
  std::set<std::string> names;
  for (fs::directory_iterator entry(name, error), end; !error && entry != end;
       entry.increment(error)) {
    names.insert(entry->path().filename().string());
  }
  Digest digest;
  for (const std::string& each : names) digest.add(each);
  return "folder-" + digest.to_string();
}

constexpr const char* kFolder = "folder";

// `found`: what stat() returned.  `lists`: a folder's names count.
std::string contents_of(const std::string& name, int found,
                        const struct stat& about, bool lists) {
  if (found != 0) return "missing";
  if (S_ISDIR(about.st_mode)) return lists ? digest_of_folder(name) : kFolder;
  if (!S_ISREG(about.st_mode)) return "device";
  const std::string digest = digest_of(name);
  return digest.empty() ? "unreadable" : digest;
}

// A name may have everything in it but a zero.
std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '%' || c == '\n') {
      out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* const end = text.data() + i + 3;
    if (std::from_chars(text.data() + i + 1, end, byte, 16).ptr != end) {
      return std::nullopt;
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace

Digest& Digest::add(std::string_view text) {
  const auto mix = [this](std::uint64_t word) {
    low_ = std::rotl((low_ ^ word) * 0x9FB21C651E98DF25u, 29);
    high_ = std::rotl((high_ + word) * 0xD6E8FEB86659FD93u, 31) ^ low_;
  };
  mix(text.size());
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at,
                std::min(sizeof(word), text.size() - at));
    mix(word);
  }
  return *this;
}

std::string Digest::to_string() const {
  return fmt::format("{:016x}{:016x}", high_, low_ ^ std::rotl(high_, 17));
}

namespace {

// Calls use(part) for each part of a file; returns false if it cannot be read.
template <typename Use>
bool read_parts(const fs::path& file, Use use) {
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return false;
  char part[1 << 16];
  ssize_t got = 0;
  do {
    got = read(opened, part, sizeof(part));
    if (got > 0) use(std::string_view(part, static_cast<std::size_t>(got)));
  } while (got > 0 || (got < 0 && errno == EINTR));
  close(opened);
  return got == 0;
}

}  // namespace

std::optional<std::string> read_whole(const fs::path& file) {
  std::string text;
  if (!read_parts(file, [&](std::string_view part) { text += part; })) {
    return std::nullopt;
  }
  return text;
}

std::string digest_of(const fs::path& file) {
  Digest digest;
  const bool is_read =
      read_parts(file, [&](std::string_view part) { digest.add(part); });
  return is_read ? digest.to_string() : "";
}

std::optional<FileState> FileState::of(const std::string& name, bool lists,
                                       timespec since) {
  struct stat about {};
  const int found = stat(name.c_str(), &about);
  FileState out;
  out.name_ = name;
  out.marks_ = "-";
  out.digest_ = contents_of(name, found, about, lists);
  // What came through a pipe nobody can see again.
  if (found == 0 && S_ISFIFO(about.st_mode)) return std::nullopt;
  if (found != 0 || !S_ISREG(about.st_mode)) return out;
  if (!is_before(about.st_ctim, since)) return std::nullopt;
  if (about.st_ctim.tv_sec + kCoarse < since.tv_sec) {
    out.marks_ = marks_of(about);
  }
  return out;
}

bool FileState::is_as_it_was() const {
  struct stat about {};
  const int found = stat(name_.c_str(), &about);
  if (found == 0 && S_ISREG(about.st_mode) && marks_ == marks_of(about)) {
    return true;
  }
  return contents_of(name_, found, about, digest_ != kFolder) == digest_;
}

std::string FileState::to_string() const {
  return fmt::format("{} {} {}", digest_, marks_, escaped(name_));
}

std::optional<FileState> FileState::parse(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  if (first == line.npos || second == line.npos) return std::nullopt;
  const auto name = unescaped(line.substr(second + 1));
  if (!name) return std::nullopt;
  FileState out;
  out.name_ = *name;
  out.digest_ = line.substr(0, first);
  out.marks_ = line.substr(first + 1, second - first - 1);
  return out;
}

}  // namespace plumb::cli
