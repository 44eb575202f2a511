// SPDX-License-Identifier: Apache-2.0
// plumb doctor: says whether this machine has what plumb needs.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/version.h"
#include "cli/build_facts.h"
#include "cli/commands.h"
#include "cli/doctor_probe.h"
#include "report/json_value.h"

namespace plumb::cli {

namespace {

struct DoctorOptions {
  OutputOptions outputs;  // json only
  bool no_color = false;
};

std::vector<Finding> examine(bool has_color) {
  const Machine machine = probe_machine();
  const Folder temporary = probe_temporary();
  std::vector<Finding> out = {
      judge_compiler(probe_compiler(false)),
      judge_c_compiler(probe_compiler(true)),
      judge_library(probe_library(), kVersion),
      judge_processor(machine),
      judge_addresses(machine),
      judge_memory(machine),
      judge_cores(machine),
      judge_cache(probe_cache()),
      judge_temporary(temporary),
      judge_spill(probe_spill()),
  };
  // Where something is missing it would only say so once more.
  const Trial trial = can_test(out) ? try_test() : Trial();
  out.push_back(judge_instrumentation(trial));
  out.push_back(judge_debug_information(trial));
  out.push_back(judge_debugger(probe_debugger(), machine));
  out.push_back(judge_terminal(probe_terminal(has_color)));
  return out;
}

const char* word_for(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarning:
      return "warning";
    case Health::kProblem:
      return "problem";
  }
  return "problem";
}

std::string to_json(const std::vector<Finding>& findings) {
  report::Json out;
  out["tool"] = "plumb";
  out["version"] = kVersion;
  out["build"] = build_facts();
  out["ready"] = {
      {"history", true}, {"test", can_test(findings)}, {"verify", true}};
  out["findings"] = report::Json::array();
  for (const Finding& finding : findings) {
    out["findings"].push_back({{"subject", finding.subject},
                               {"health", word_for(finding.health)},
                               {"found", finding.found},
                               {"advice", finding.advice}});
  }
  return report::file_text(out);
}

ExitStatus run(const DoctorOptions& options) {
  CommonOptions common;
  common.no_color = options.no_color;
  const std::vector<Finding> findings = examine(common.color());
  if (!options.outputs.takes_standard_output()) {
    fmt::print("plumb {}\n\n{}", version_line(),
               to_text(findings, common.color()));
  }
  if (!options.outputs.json.empty()) {
    write_output(options.outputs.json, to_json(findings));
  }
  if (Budget::interrupted) return kExitInterrupted;
  return can_test(findings) ? kExitHolds : kExitViolated;
}

}  // namespace

Command add_doctor_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "doctor", "say whether this machine has what plumb needs");
  auto options = std::make_shared<DoctorOptions>();
  command
      ->add_option("--json", options->outputs.json,
                   "write what was found as JSON to a file, or to standard "
                   "output with '-'")
      ->type_name("FILE");
  command->add_flag("--no-color", options->no_color,
                    "no colours (NO_COLOR does the same)");
  command->footer(
      "A problem stops 'plumb test'; a warning only hampers something.\n"
      "Exit status: 0 every command can work, 1 there is a problem, 2 bad "
      "usage.");
  return [options] { return run(*options); };
}

}  // namespace plumb::cli
