// SPDX-License-Identifier: Apache-2.0
// A new file that takes the place of an old one when it is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

// It lies in the folder of the one that it replaces, without a name where the
// system can do that, so that nothing is left behind however the process ends;
// else under a name that nobody else has.  Owner and permissions become those
// of the old file.  All of it tells by `errno` what went wrong.
class StagedFile {
 public:
  StagedFile() = default;
  ~StagedFile() { give_up(); }
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  // A link stays a link: what it leads to will be replaced.
  bool open(const std::string& path);
  // Of the open file; -1: there is none.
  int file() const { return file_; }
  // Would the one that it replaces lose something: its owner, other names?
  bool loses_something() const { return loses_something_; }
  // Puts it in its place.  It stays open.
  bool finish();
  // Whose file it is from now on; it will not be removed or closed here.
  int release() { return std::exchange(file_, -1); }
  void give_up();

 private:
  bool name_it();

  std::string target_;
  std::string name_;  // "": it has none yet
  int file_ = -1;
  bool loses_something_ = false;
};

// Where links lead from there, also to what does not exist yet; nothing if
// they lead in a circle (and errno says so).
std::optional<std::string> end_of_links(std::string path);

// Writes all of it, whatever the number of attempts.
bool write_all(int file, std::string_view text);

}  // namespace plumb
