// SPDX-License-Identifier: Apache-2.0
#include "cli/test_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/input_error.h"
#include "cli/inputs.h"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

// An empty folder with a name of its own.
fs::path folder_in(const fs::path& parent) {
  std::string name = (parent / "build-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw fs::filesystem_error("cannot make a folder", parent,
                               std::error_code(errno, std::generic_category()));
  }
  return name;
}

// What nobody ran for so long is removed, and what was run longest ago if all
// is larger than this.
constexpr auto kKept = std::chrono::hours(24 * 30);
constexpr auto kBuilt = std::chrono::hours(24);  // folders of those that died
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

// Why nothing can be kept in a folder, as a clause; "" if it can.  Programs
// from it are run: nobody else may put some there.  A full disk tells only
// when bytes come.
std::string why_unusable(const fs::path& folder) {
  if (folder.empty()) return "there is no cache folder";
  std::error_code error;
  const std::string cannot =
      fmt::format("cannot write to '{}'", folder.string());
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return cannot;
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
    return cannot;
  }
  if (about.st_uid != geteuid()) {
    return fmt::format("'{}' belongs to somebody else", folder.string());
  }
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fmt::format("others may write to '{}' (chmod go-w, after a look)",
                       folder.string());
  }
  try {
    const fs::path trial = folder_in(folder);
    std::ofstream out(trial / "trial");
    out << std::string(4096, '.');
    out.close();
    const bool written = out.good();
    fs::remove_all(trial, error);
    return written ? "" : cannot;
  } catch (const fs::filesystem_error&) {
    return cannot;
  }
}

void write_whole(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw fs::filesystem_error("cannot write", file,
                               std::error_code(errno, std::generic_category()));
  }
}

// Its first line is the digest of the others.
constexpr const char* kListEnd = ".list";
std::string digest_of_list(const std::string& rest) {
  return Digest().add("plumb list").add(rest).to_string();
}

// What the system itself makes up is another thing each time.  Not all below
// /dev is: /dev/shm has files of users.
bool is_of_the_system(const std::string& name) {
  if (name.starts_with("/proc/") || name.starts_with("/sys/")) return true;
  struct stat about {};
  return name.starts_with("/dev/") && stat(name.c_str(), &about) == 0 &&
         (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode));
}

// One line for each; nothing if one was changed meanwhile.
std::optional<std::string> states_of(const TracedFiles& files, timespec since) {
  std::string out;
  std::set<std::string> names = files.looked_for;
  names.insert(files.read.begin(), files.read.end());
  for (const std::string& name : names) {
    if (files.written.contains(name) || is_of_the_system(name)) continue;
    note_input(name);
    const auto state = FileState::of(name, files.read.contains(name), since);
    if (!state) return std::nullopt;
    out += state->to_string() + '\n';
  }
  return out;
}

}  // namespace

fs::path users_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME");
      cache != nullptr && *cache == '/') {
    return fs::path(cache) / "plumbline";
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fs::path(home) / ".cache" / "plumbline";
}

TestCache::TestCache() : folder_(users_cache_folder()) {
  const std::string why_not = why_unusable(folder_);
  if (why_not.empty()) return;
  note_ = why_not + ", so nothing is kept";
  folder_ = folder_in(fs::temp_directory_path());
  leftovers_.add(folder_);
  is_temporary_ = true;
}

TestCache::~TestCache() {
  if (is_temporary_) remove(folder_);
}

std::optional<fs::path> TestCache::find(const std::string& key) const {
  const fs::path list = folder_ / (key + kListEnd);
  const std::optional<std::string> text = read_whole(list);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  std::string digest, name, contents;
  if (!std::getline(lines, digest) || !std::getline(lines, name) ||
      !std::getline(lines, contents) ||
      digest != digest_of_list(text->substr(digest.size() + 1)) ||
      fs::path(name).filename() != name) {
    return std::nullopt;
  }
  const fs::path program = folder_ / name;
  struct stat about {};
  if (lstat(program.c_str(), &about) != 0 || !S_ISREG(about.st_mode) ||
      digest_of(program) != contents) {
    return std::nullopt;
  }
  for (std::string line; std::getline(lines, line);) {
    const auto state = FileState::parse(line);
    if (!state || !state->is_as_it_was()) return std::nullopt;
    note_input(state->name());
  }
  for (const fs::path& used : {program, list}) {
    std::error_code ignored;
    fs::last_write_time(used, fs::file_time_type::clock::now(), ignored);
  }
  return program;
}

void TestCache::forget_old() const {
  struct Entry {
    fs::file_time_type last_used;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    const auto last_used = entry->last_write_time(unknown);
    const auto bytes = entry->is_regular_file() ? entry->file_size(unknown) : 0;
    if (!unknown) entries.push_back({last_used, entry->path(), bytes});
  }
  std::ranges::sort(entries, std::ranges::greater(), &Entry::last_used);
  const auto now = fs::file_time_type::clock::now();
  std::uintmax_t sum = 0;
  for (const Entry& entry : entries) {
    sum += entry.bytes;
    std::error_code ignored;
    const bool is_folder = fs::is_directory(entry.path, ignored);
    // Somebody builds in a folder that is new.
    if (now - entry.last_used > (is_folder ? kBuilt : kKept) ||
        (!is_folder && sum > kMostBytes)) {
      fs::remove_all(entry.path, ignored);
    }
  }
}

fs::path TestCache::new_folder() {
  fs::path folder = folder_in(folder_);
  leftovers_.add(folder);
  return folder;
}

void TestCache::remove(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  leftovers_.forget(folder);
}

// Renames both files into their places, so that whoever looks sees either the
// old or the new ones.
fs::path TestCache::keep(const std::string& key, const fs::path& program,
                         const std::optional<TracedFiles>& files,
                         timespec since) {
  forget_old();
  const auto states = files ? states_of(*files, since) : std::nullopt;
  const std::string contents = digest_of(program);
  // People see the name in stack traces.
  const std::string name = fmt::format(
      "{}-{}", program.stem().string(),
      Digest().add(key).add(states.value_or("")).add(contents).to_string());
  const fs::path target = folder_ / name;
  fs::rename(program, target);
  if (!states) return target;
  const std::string list = fmt::format("{}\n{}\n{}", name, contents, *states);
  const fs::path written = program.string() + kListEnd;
  write_whole(written, digest_of_list(list) + '\n' + list);
  fs::rename(written, folder_ / (key + kListEnd));
  return target;
}

}  // namespace plumb::cli
