// SPDX-License-Identifier: Apache-2.0
// The commands of plumb, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/common.h"

namespace plumb::cli {

// Adds its command to `app`; the result runs it after the command line was
// parsed.
using Command = std::function<ExitStatus()>;

Command add_doctor_command(CLI::App& app);
Command add_explore_command(CLI::App& app);
Command add_format_command(CLI::App& app);
Command add_history_command(CLI::App& app);
Command add_report_command(CLI::App& app);
Command add_specs_command(CLI::App& app);
// `compiler_arguments`: what followed `--`.
Command add_test_command(CLI::App& app,
                         const std::vector<std::string>& compiler_arguments);
Command add_verify_command(CLI::App& app);

}  // namespace plumb::cli
