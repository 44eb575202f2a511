// SPDX-License-Identifier: Apache-2.0
#include "cli/test_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/input_error.h"

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

// What nobody ran for so long is removed.
constexpr auto kKept = std::chrono::hours(24 * 30);

// Can somebody write here?  A full disk tells only when bytes come.
bool is_usable(const fs::path& folder) {
  if (folder.empty()) return false;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return false;
  try {
    const fs::path trial = folder_in(folder);
    std::ofstream out(trial / "trial");
    out << std::string(4096, '.');
    out.close();
    const bool written = out.good();
    fs::remove_all(trial, error);
    return written;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

std::string digest_of(const fs::path& file) {
  const std::optional<std::string> text = read_whole(file);
  return text ? Digest().add(*text).to_string() : "missing";
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

std::optional<std::string> read_whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

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

TestCache::TestCache() : folder_(users_cache_folder()) {
  if (is_usable(folder_)) return;
  note_ = folder_.empty()
              ? "there is no cache folder, so nothing is kept"
              : fmt::format("cannot write to '{}', so nothing is kept",
                            folder_.string());
  folder_ = folder_in(fs::temp_directory_path());
  is_temporary_ = true;
}

TestCache::~TestCache() {
  std::error_code ignored;
  if (is_temporary_) fs::remove_all(folder_, ignored);
}

std::optional<fs::path> TestCache::find(const std::string& key) const {
  std::ifstream list(folder_ / (key + ".list"));
  std::string program;
  if (!std::getline(list, program)) return std::nullopt;
  std::string line;
  while (std::getline(list, line)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) return std::nullopt;
    if (digest_of(line.substr(space + 1)) != line.substr(0, space)) {
      return std::nullopt;
    }
  }
  const fs::path file = folder_ / program;
  if (!fs::exists(file)) return std::nullopt;
  for (const fs::path& used : {file, folder_ / (key + ".list")}) {
    std::error_code ignored;
    fs::last_write_time(used, fs::file_time_type::clock::now(), ignored);
  }
  return file;
}

void TestCache::forget_old() const {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const auto last_used = entry->last_write_time(ignored);
    if (!ignored && now - last_used > kKept) {
      fs::remove_all(entry->path(), ignored);
    }
  }
}

fs::path TestCache::new_folder() {
  return folder_in(folder_);
}

// Renames both files into their places, so that whoever looks sees either the
// old or the new ones.
fs::path TestCache::keep(const std::string& key, const fs::path& program,
                         const std::vector<std::string>& sources) {
  forget_old();
  std::string list;
  Digest contents;
  contents.add(key);
  for (const std::string& source : sources) {
    const std::string digest = digest_of(source);
    list += fmt::format("{} {}\n", digest, source);
    contents.add(digest);
  }
  // People see the name in stack traces.
  const std::string name =
      fmt::format("{}-{}", program.stem().string(), contents.to_string());
  const fs::path target = folder_ / name;
  fs::rename(program, target);
  const fs::path written = program.string() + ".list";
  write_whole(written, name + "\n" + list);
  fs::rename(written, folder_ / (key + ".list"));
  return target;
}

}  // namespace plumb::cli
