// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/input_error.h"
#include "base/staged_file.h"
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

namespace {

// The same for two names of one file, whether it is there already or not; ""
// for what anybody may write to, such as a terminal.  `standard`: the
// descriptor that "-" stands for, which may lead to a file, too.
std::string identity_of(const std::string& path, int standard) {
  struct stat about {};
  const bool is_standard = path == "-";
  if ((is_standard ? fstat(standard, &about) : stat(path.c_str(), &about)) ==
      0) {
    if (S_ISREG(about.st_mode)) {
      return fmt::format("{} {}", about.st_dev, about.st_ino);
    }
    return is_standard && standard == STDOUT_FILENO ? path : "";
  }
  if (is_standard) return path;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(
      std::filesystem::absolute(end_of_links(path).value_or(path)), error);
  return whole.empty() ? path : whole.lexically_normal().string();
}

// A test reads the file of its specification only when it runs, if it does.
void require_no_model(const std::string& option, const std::string& file) {
  std::error_code error;
  const std::filesystem::path whole =
      std::filesystem::canonical(file, error);  // which exists
  if (error) return;
  const std::string kind = whole.extension().string();
  if (kind != ".plumb" && kind != ".csp") return;
  throw InputError(
      fmt::format("{} would write over '{}', which is a model", option, file),
      "name another file");
}

}  // namespace

void OutputOptions::require_apart(
    const NamedFiles& others, const std::vector<std::string>& inputs) const {
  NamedFiles outputs = {{"--json", json},
                        {"--html", html},
                        {"--junit", junit},
                        {"--sarif", sarif}};
  outputs.insert(outputs.end(), others.begin(), others.end());
  std::map<std::string, std::string> options;  // by file
  for (const auto& [option, file] : outputs) {
    const std::string identity =
        file.empty() ? "" : identity_of(file, STDOUT_FILENO);
    if (identity.empty()) continue;
    require_no_model(option, file);
    const auto [other, is_new] = options.try_emplace(identity, option);
    if (is_new) continue;
    throw InputError(fmt::format("{} and {} both write to '{}'", other->second,
                                 option, file),
                     "give each a file of its own");
  }
  for (const std::string& input : inputs) {
    const auto found = options.find(identity_of(input, STDIN_FILENO));
    if (found == options.end() || found->first.empty()) continue;
    throw InputError(fmt::format("{} would write over '{}', which is read",
                                 found->second, input),
                     "name another file");
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
