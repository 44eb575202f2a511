// SPDX-License-Identifier: Apache-2.0
// Programs that were built from tests, kept to be run again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// The text of a file; nothing if it cannot be read.
std::optional<std::string> read_whole(const std::filesystem::path& file);

// Where the user keeps what can be made again; "" if nobody says.
std::filesystem::path users_cache_folder();

// A program is found by what was asked for (the key: compiler, options, source)
// and is used only if all files that it was made of are what they were: their
// digests stand in a list beside it.
class TestCache {
 public:
  // In the user's cache folder, or, if nothing can be written there, in a
  // temporary one that goes with this object; then `note` says so.
  TestCache();
  ~TestCache();
  TestCache(const TestCache&) = delete;
  TestCache& operator=(const TestCache&) = delete;

  std::optional<std::filesystem::path> find(const std::string& key) const;

  // A folder to build in, on the same file system; its owner removes it.
  std::filesystem::path new_folder();

  // Takes `program` over, which was made of `sources`.  Returns where it is.
  std::filesystem::path keep(const std::string& key,
                             const std::filesystem::path& program,
                             const std::vector<std::string>& sources);

  const std::string& note() const { return note_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void forget_old() const;

  std::filesystem::path folder_;
  bool is_temporary_ = false;
  std::string note_;
};

}  // namespace plumb::cli
