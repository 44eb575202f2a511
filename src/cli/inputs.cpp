// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/input_error.h"

namespace plumb::cli {

namespace fs = std::filesystem;

namespace {

bool is_history_name(fs::path path) {
  if (path.extension() == ".gz") path = path.stem();
  const fs::path extension = path.extension();
  return extension == ".jsonl" || extension == ".json" || extension == ".edn";
}

std::vector<std::string> histories_below(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator it(directory, kOptions, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && is_history_name(it->path())) {
      found.push_back(it->path().string());
    }
  }
  if (error) {
    throw InputError(
        Place{.source = directory, .text = ""},
        fmt::format("cannot read this directory: {}", error.message()));
  }
  if (found.empty()) {
    throw InputError(Place{.source = directory, .text = ""},
                     "no histories in this directory",
                     "their names end in .jsonl, .json or .edn, or the same "
                     "with .gz");
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> paths;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      const auto below = histories_below(input);
      paths.insert(paths.end(), below.begin(), below.end());
    } else {
      paths.push_back(input);
    }
  }
  return paths;
}

}  // namespace plumb::cli
