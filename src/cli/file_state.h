// SPDX-License-Identifier: Apache-2.0
// What a file was when it was read or looked for, and whether it still is that.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::cli {

// A fingerprint of texts: 128 bits, so that no two that matter are the same.
class Digest {
 public:
  // Adds a text and its length, so that "ab" "c" is not "a" "bc".
  Digest& add(std::string_view text);
  std::string to_string() const;  // 32 hexadecimal digits

 private:
  std::uint64_t low_ = 0x9E3779B97F4A7C15u;
  std::uint64_t high_ = 0xC2B2AE3D27D4EB4Fu;
};

// The text of a file; nothing if it cannot be read.  Waits for nobody.
std::optional<std::string> read_whole(const std::filesystem::path& file);

// The digest of a file's text; "" if it cannot be read.
std::string digest_of(const std::filesystem::path& file);

// A file by its contents, a folder by the names in it if somebody has listed
// them; that something is not there is a state, too.
class FileState {
 public:
  // As it is now.  `since` is when it began to be used: what was changed later
  // has no state that could be trusted, and the answer is nothing; so it is of
  // a pipe.
  static std::optional<FileState> of(const std::string& name, bool lists,
                                     timespec since);
  // What to_string() gave; nothing if it is damaged.
  static std::optional<FileState> parse(std::string_view line);

  // Is it what it was?  If size, times and place on the disk are the same, and
  // so old that a change would show in them, its contents are not read.
  bool is_as_it_was() const;
  const std::string& name() const { return name_; }
  std::string to_string() const;  // one line

 private:
  std::string name_;
  std::string marks_;   // size, times, place on the disk; "-" if not trusted
  std::string digest_;  // or "missing", or what it is else
};

}  // namespace plumb::cli
