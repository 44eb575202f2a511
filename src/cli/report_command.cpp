// SPDX-License-Identifier: Apache-2.0
// plumb report: makes pages, and what CI systems read, of results.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/byte_source.h"
#include "base/input_error.h"
#include "cli/commands.h"
#include "report/read_result.h"
#include "report/words.h"

namespace plumb::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> inputs;
  OutputOptions outputs;  // html: -o

  void add_to(CLI::App& command);
};

void ReportOptions::add_to(CLI::App& command) {
  command
      .add_option("RESULT", inputs,
                  "files that --json wrote, all of one level; '-': standard "
                  "input")
      ->required();
  command
      .add_option("-o,--output,--html", outputs.html,
                  "the page to write (default: RESULT.html, unless something "
                  "else is asked for; '-': standard output)")
      ->type_name("FILE");
  outputs.add_formats_to(command);
}

std::string page_name(const std::string& input) {
  if (input == "-") return "-";
  const std::string ending = ".json";
  return (input.ends_with(ending)
              ? input.substr(0, input.size() - ending.size())
              : input) +
         ".html";
}

ExitStatus run(const ReportOptions& options) {
  OutputOptions outputs = options.outputs;
  if (outputs.html.empty() && outputs.junit.empty() && outputs.sarif.empty()) {
    outputs.html = page_name(options.inputs.front());
  }
  outputs.require_apart({}, options.inputs);
  std::vector<report::Json> results;
  std::vector<std::string> names;
  for (const std::string& input : options.inputs) {
    names.push_back(input == "-" ? "<stdin>" : input);
    results.push_back(report::read_result(
        names.back(), text_of_file(input, report::ReadLimits().bytes)));
  }
  outputs.write(report::merged(std::move(results), names));
  return kExitHolds;
}

}  // namespace

Command add_report_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "make a page for browsers of the results of earlier runs");
  auto options = std::make_shared<ReportOptions>();
  options->add_to(*command);
  command->footer(
      "Exit status: 0 whatever the verdicts are, 2 bad usage or input.");
  return [options] { return run(*options); };
}

}  // namespace plumb::cli
