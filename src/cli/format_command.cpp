// SPDX-License-Identifier: Apache-2.0
// plumb format: models in the house layout.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/model_checks.h"
#include "lang/parse.h"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

struct FormatOptions {
  std::vector<std::string> inputs;
  bool write = false;
  bool check = false;
};

ExitStatus format_one(const FormatOptions& options, const std::string& path) {
  const std::string text = read_text(path);
  const std::string formatted =
      lang::format_model(path == "-" ? "<stdin>" : path, text);
  if (options.check) {
    if (formatted == text) return kExitHolds;
    print_text(stdout, fmt::format("{}: not formatted\n", one_line(path)));
    return kExitViolated;
  }
  if (options.write) {
    if (formatted != text) write_output(path, formatted);
  } else {
    std::fputs(formatted.c_str(), stdout);
  }
  return kExitHolds;
}

ExitStatus format_all(const FormatOptions& options) {
  if (options.write && options.check) {
    throw InputError("--write and --check exclude each other");
  }
  ExitStatus status = kExitHolds;
  for (const std::string& path : expand_models(options.inputs)) {
    try {
      if (options.write && path == "-") {
        throw InputError("standard input cannot be written",
                         "leave out --write");
      }
      status = worse(status, format_one(options, path));
    } catch (const InputError& error) {
      print_text(stderr, error.describe());
      status = kExitBadInput;
    }
  }
  return status;
}

}  // namespace

Command add_format_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("format", "print models in the house layout");
  auto options = std::make_shared<FormatOptions>();
  command
      ->add_option("MODEL", options->inputs,
                   "models, directories of them; '-': standard input")
      ->required();
  command->add_flag("--write", options->write,
                    "write the files instead of printing");
  command->add_flag("--check", options->check,
                    "only say which files are not laid out so; exit status 1");
  command->footer("Exit status: 0, 1 with --check, 2 bad usage or input.");
  return [options] { return format_all(*options); };
}

}  // namespace plumb::cli
