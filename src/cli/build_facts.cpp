// SPDX-License-Identifier: Apache-2.0
#include "cli/build_facts.h"

#include <fmt/format.h>
#include <plumb_commit.h>  // made by cmake/commit.cmake

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/input_error.h"
#include "base/version.h"
#include "cli/test_build.h"

namespace plumb::cli {

namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__,
                     __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__,
                     __GNUC_PATCHLEVEL__);
#endif
}

// "fmt 9.1.0, zlib 1.2" -> {"fmt": "9.1.0", "zlib": "1.2"}.
report::Json libraries() {
  report::Json out = report::Json::object();
  std::string_view rest = PLUMB_LIBRARIES;
  while (!rest.empty()) {
    const std::string_view each = rest.substr(0, rest.find(", "));
    const std::size_t space = each.find(' ');
    out[std::string(each.substr(0, space))] =
        std::string(each.substr(space + 1));
    rest.remove_prefix(std::min(each.size() + 2, rest.size()));
  }
  return out;
}

// Only what is quick to see; `plumb doctor` tries it.
std::string can_run_tests() {
  try {
    const Installation installation = find_installation();
    const std::vector<std::string> command = find_compiler(false);
    return fmt::format("yes, with {} and {}", fmt::join(command, " "),
                       installation.library.string());
  } catch (const InputError& error) {
    return fmt::format("no: {}; 'plumb doctor' tells more", error.what());
  }
}

}  // namespace

std::string version_line() {
  const std::string commit = PLUMB_COMMIT;
  return commit.empty() ? kVersion
                        : fmt::format("{} (commit {})", kVersion, commit);
}

report::Json build_facts() {
  report::Json out;
  out["commit"] = PLUMB_COMMIT;
  out["compiler"] = compiler();
  out["type"] = PLUMB_BUILD_TYPE;
  out["libraries"] = libraries();
  return out;
}

std::string version_text() {
  return fmt::format(
      "plumb {}\nbuilt with {}, {}\nlibraries: {}\ntests of code: {}",
      version_line(), compiler(), PLUMB_BUILD_TYPE, PLUMB_LIBRARIES,
      can_run_tests());
}

}  // namespace plumb::cli
