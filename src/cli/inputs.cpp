// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/input_error.h"

namespace plumb::cli {

namespace fs = std::filesystem;

namespace {

// What is looked for in directories.
struct Wanted {
  bool (*fits)(fs::path path);
  const char* nothing;  // said of a directory without any
  const char* hint;
};

constexpr Wanted kHistories = {
    [](fs::path path) {
      if (path.extension() == ".gz") path.replace_extension();
      const fs::path extension = path.extension();
      // A test of Jepsen has its results beside its history.
      std::error_code ignored;
      if (path.filename() == "results.edn" &&
          fs::exists(path.parent_path() / "history.edn", ignored)) {
        return false;
      }
      return extension == ".jsonl" || extension == ".json" ||
             extension == ".edn" || extension == ".hist";
    },
    "no histories in this directory",
    "their names end in .jsonl, .json, .edn or .hist, or the same with .gz"};

constexpr Wanted kModels = {
    [](fs::path path) {
      return path.extension() == ".plumb" || path.extension() == ".csp";
    },
    "no models in this directory", "their names end in .plumb or .csp"};

// Files of other kinds that people give to `plumb verify`.
struct Foreign {
  const char* extension;
  const char* what;
  const char* hint;
};
constexpr const char* kForCode = "'plumb test' is for code";
constexpr const char* kForHistories = "'plumb history' is for histories";
constexpr const char* kModelsOnly =
    "models are .plumb files, or PAT's .csp; docs/models.md has the language";
constexpr Foreign kForeign[] = {
    {".cpp", "code in C++", kForCode},
    {".cc", "code in C++", kForCode},
    {".cxx", "code in C++", kForCode},
    {".c", "code in C", kForCode},
    {".h", "code", kForCode},
    {".hpp", "code in C++", kForCode},
    {".jsonl", "a history", kForHistories},
    {".edn", "a history", kForHistories},
    {".pml", "Promela", kModelsOnly},
    {".prm", "Promela", kModelsOnly},
    {".tla", "TLA+", kModelsOnly},
};

std::vector<std::string> files_below(const std::string& directory,
                                     const Wanted& wanted) {
  std::vector<std::string> found;
  std::error_code error;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator it(directory, kOptions, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && wanted.fits(it->path())) {
      found.push_back(it->path().string());
    }
  }
  if (error) {
    throw InputError(
        Place{.source = directory, .text = ""},
        fmt::format("cannot read this directory: {}", error.message()));
  }
  if (found.empty()) {
    throw InputError(Place{.source = directory, .text = ""}, wanted.nothing,
                     wanted.hint);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> expand(const std::vector<std::string>& inputs,
                                const Wanted& wanted) {
  std::vector<std::string> paths;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      const auto below = files_below(input, wanted);
      paths.insert(paths.end(), below.begin(), below.end());
    } else {
      paths.push_back(input);
    }
  }
  return paths;
}

struct FurtherInputs {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;  // guarded by mutex
};
FurtherInputs further;

}  // namespace

std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs) {
  return expand(inputs, kHistories);
}

std::vector<std::string> expand_models(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    const std::string kind = fs::path(input).extension().string();
    for (const Foreign& other : kForeign) {
      if (kind != other.extension) continue;
      throw InputError(Place{.source = input, .text = ""},
                       fmt::format("this is {}, not a model", other.what),
                       other.hint);
    }
  }
  return expand(inputs, kModels);
}

void note_input(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  const std::lock_guard lock(further.mutex);
  further.files.emplace(about.st_dev, about.st_ino);
}

void require_no_input(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return;
  const std::lock_guard lock(further.mutex);
  if (!further.files.contains({about.st_dev, about.st_ino})) return;
  throw InputError(Place{.source = path, .text = ""},
                   "cannot write: this file was read", "name another file");
}

}  // namespace plumb::cli
