// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "base/input_error.h"
#include "report/annotations.h"
#include "report/junit.h"
#include "report/page.h"
#include "report/sarif.h"

namespace plumb::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct CommandLine {
  std::vector<std::string> words;
  Clock::time_point start = Clock::now();
};
CommandLine command_line;

}  // namespace

void set_command_line(int argc, char** argv) {
  command_line.words.assign(argv, argv + argc);
  if (!command_line.words.empty()) command_line.words[0] = "plumb";
}

report::RunFacts run_facts(report::Sources& sources) {
  return {
      command_line.words,
      std::chrono::duration<double>(Clock::now() - command_line.start).count(),
      sources.take()};
}

void OutputOptions::add_to(CLI::App& command) {
  command
      .add_option("--json", json,
                  "write the results as JSON to a file, or "
                  "to standard output with '-'")
      ->type_name("FILE");
  command.add_option("--html", html, "... as a page for browsers")
      ->type_name("FILE");
  add_formats_to(command);
}

void OutputOptions::add_formats_to(CLI::App& command) {
  command.add_option("--junit", junit, "... as JUnit XML, for CI systems")
      ->type_name("FILE");
  command.add_option("--sarif", sarif, "... as SARIF, for code scanning")
      ->type_name("FILE");
}

bool OutputOptions::any() const {
  return !json.empty() || !html.empty() || !junit.empty() || !sarif.empty() ||
         annotates();
}

bool OutputOptions::annotates() {
  const char* const value = std::getenv("GITHUB_ACTIONS");
  return value != nullptr && std::string_view(value) == "true";
}

bool OutputOptions::takes_standard_output() const {
  return json == "-" || html == "-" || junit == "-" || sarif == "-";
}

void OutputOptions::require_apart() const {
  std::map<std::string, std::string> options;  // by file
  for (const auto& [option, file] :
       {std::pair<const char*, const std::string&>{"--json", json},
        {"--html", html},
        {"--junit", junit},
        {"--sarif", sarif}}) {
    if (file.empty()) continue;
    const auto [other, is_new] = options.try_emplace(file, option);
    if (is_new) continue;
    throw InputError(fmt::format("{} and {} both write to '{}'", other->second,
                                 option, file),
                     "give each a file of its own");
  }
}

void OutputOptions::write(report::Json result) const {
  if (!json.empty()) write_output(json, report::file_text(result));
  if (!junit.empty()) write_output(junit, report::junit_of(result));
  if (!sarif.empty()) {
    write_output(sarif, report::file_text(report::sarif_of(result)));
  }
  if (!html.empty()) write_output(html, report::page_of(std::move(result)));
}

void OutputOptions::write(report::Json result, bool quiet) const {
  if (annotates() && !quiet && !takes_standard_output()) {
    write_output("-", report::annotations_of(result));
  }
  write(std::move(result));
}

}  // namespace plumb::cli
