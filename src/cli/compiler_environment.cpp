// SPDX-License-Identifier: Apache-2.0
#include "cli/compiler_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace plumb::cli {

namespace {

// TMPDIR is our own while a compiler runs: see file_trace.cpp.
bool is_of_session(std::string_view name) {
  constexpr std::array kNames = {"_",          "OLDPWD",
                                 "SHLVL",      "COLUMNS",
                                 "LINES",      "TERM",
                                 "COLORTERM",  "WINDOWID",
                                 "STY",        "TMPDIR",
                                 "MAKEFLAGS",  "MAKELEVEL",
                                 "MFLAGS",     "GPG_TTY",
                                 "SSH_CLIENT", "SSH_CONNECTION",
                                 "SSH_TTY",    "XDG_RUNTIME_DIR",
                                 "XDG_SEAT",   "XDG_SEAT_PATH",
                                 "XDG_VTNR"};
  constexpr std::array kBeginnings = {
      "TERM_", "TMUX", "XDG_SESSION_", "VSCODE_", "DBUS_", "CTEST_", "GTEST_"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kBeginnings, [&](const char* beginning) {
           return name.starts_with(beginning);
         });
}

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::vector<std::string> compiler_environment() {
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    if (!is_of_session(name_of(*at))) out.emplace_back(*at);
  }
  std::ranges::sort(out);
  return out;
}

void forget_session() {
  std::vector<std::string> names;
  for (char** at = environ; *at != nullptr; ++at) {
    if (is_of_session(name_of(*at))) names.emplace_back(name_of(*at));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

}  // namespace plumb::cli
