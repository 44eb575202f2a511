// SPDX-License-Identifier: Apache-2.0
// plumb explore: steps through a model by hand.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "cli/commands.h"
#include "cli/explore_session.h"
#include "cli/model_checks.h"

namespace plumb::cli {

namespace {

struct ExploreOptions {
  ModelOptions model;
  std::uint64_t seed = 0;
};

ExitStatus explore(ExploreOptions options) {
  if (options.model.inputs.size() != 1) {
    throw InputError("one model is explored at a time");
  }
  if (options.model.inputs.front() == "-") {
    throw InputError("the model cannot be standard input",
                     "the commands are read from there");
  }
  if (options.model.property.empty() && options.model.processes) {
    options.model.property = "safe";
  }
  const Loaded loaded = load_checks(options.model);
  for (const report::BadInput& error : loaded.errors) {
    print_text(stderr, error.message);
  }
  if (!loaded.errors.empty()) return kExitBadInput;
  const LoadedCheck& check = loaded.checks.front();
  ask::Whole model = check.subject->whole();
  print_text(stdout, fmt::format("{}: {}\n", check.file, check.text));
  if (loaded.checks.size() > 1) {
    fmt::print("(the first of {} checks; --check chooses another)\n",
               loaded.checks.size());
  }
  // Nothing is lost by an interrupt here.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ExploreSession(std::move(model), stdin, isatty(STDIN_FILENO) == 0,
                 options.seed)
      .run();
  return kExitHolds;
}

}  // namespace

Command add_explore_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("explore", "step through a model by hand");
  auto options = std::make_shared<ExploreOptions>();
  options->model.add_to(*command, true);
  command->add_option("--seed", options->seed, "for random steps")
      ->type_name("N");
  return [options] { return explore(*options); };
}

}  // namespace plumb::cli
