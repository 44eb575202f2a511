// SPDX-License-Identifier: Apache-2.0
// The commands of plumb, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/common.h"

namespace plumb::cli {

// Adds its command to `app`; the result runs it after the command line was
// parsed.
using Command = std::function<ExitStatus()>;

Command add_explore_command(CLI::App& app);
Command add_format_command(CLI::App& app);
Command add_history_command(CLI::App& app);
Command add_specs_command(CLI::App& app);
Command add_verify_command(CLI::App& app);

}  // namespace plumb::cli
