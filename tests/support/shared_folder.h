// SPDX-License-Identifier: Apache-2.0
// Where the test material is that is not part of this repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "support/source_folder.h"

namespace plumb::testing {

// The folder that PLUMB_SHARED names, else `shared` next to the source tree;
// nothing if it is not there: then the tests that need it skip themselves.
inline std::optional<std::filesystem::path> shared_folder() {
  namespace fs = std::filesystem;
  const char* named = std::getenv("PLUMB_SHARED");
  const fs::path folder =
      named ? fs::path(named) : source_folder() / ".." / "shared";
  std::error_code error;
  if (!fs::is_directory(folder, error)) return std::nullopt;
  return folder;
}

}  // namespace plumb::testing
