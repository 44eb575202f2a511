// SPDX-License-Identifier: Apache-2.0
// Programs that were built from tests, kept to be run again.
#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/file_state.h"
#include "cli/file_trace.h"
#include "cli/leftovers.h"

namespace plumb::cli {

// Where the user keeps what can be made again; "" if nobody says.
std::filesystem::path users_cache_folder();

// A program is found by what was asked for (the key: compiler, options,
// environment, source) and is used only if all files that were read or looked
// for when it was made are what they were: their states stand in a list beside
// it, with the digest of the program and of the list itself.
class TestCache {
 public:
  // In the user's cache folder, or, if nothing can be kept there, in a
  // temporary one that goes with this object; then `note` says so.
  TestCache();
  ~TestCache();
  TestCache(const TestCache&) = delete;
  TestCache& operator=(const TestCache&) = delete;

  std::optional<std::filesystem::path> find(const std::string& key) const;

  // A folder to build in, on the same file system, until it is removed; at
  // the latest when this process ends.
  std::filesystem::path new_folder();
  void remove(const std::filesystem::path& folder);

  // Takes `program` over.  Returns where it is.  `files`: what was used since
  // `since`; without them nobody will find it again.
  std::filesystem::path keep(const std::string& key,
                             const std::filesystem::path& program,
                             const std::optional<TracedFiles>& files,
                             timespec since);

  const std::string& note() const { return note_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void forget_old() const;

  Leftovers leftovers_;
  std::filesystem::path folder_;
  bool is_temporary_ = false;
  std::string note_;
};

}  // namespace plumb::cli
