// SPDX-License-Identifier: Apache-2.0
// A whole result file, whatever its level; the schema is in docs/results.md.
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "report/json_value.h"

namespace plumb::report {

// Grows when fields change their meaning, not when there are more.
constexpr int kSchema = 1;

// About the run as a whole; what is empty is left out of the file.
struct RunFacts {
  std::vector<std::string> command;  // as the user wrote it
  double seconds = 0;
  Json sources;  // by name of the file: its text
};

Json result_file(const char* level, Json results,
                 const std::vector<BadInput>& errors,
                 const RunFacts& facts = {});

// Texts that evidence points into.  Those that are too long are left out, and
// all others when there are too many.
class Sources {
 public:
  // How much there may be of one, and of all.
  static constexpr std::size_t kLongest = 256 * 1024;
  static constexpr std::size_t kAll = 4 * 1024 * 1024;

  bool has(const std::string& name) const { return texts_.contains(name); }
  void add(const std::string& name, const std::string& text);
  Json take() { return std::move(texts_); }

 private:
  Json texts_ = Json::object();
  std::size_t bytes_ = 0;
};

}  // namespace plumb::report
