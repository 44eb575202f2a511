// SPDX-License-Identifier: Apache-2.0
// plumb test: builds tests of real code, runs them, and merges what they say.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "base/quantities.h"
#include "base/shell_word.h"
#include "base/terminal_text.h"
#include "cli/commands.h"
#include "cli/parallel.h"
#include "cli/process.h"
#include "cli/test_build.h"
#include "cli/test_merge.h"
#include "cli/told_results.h"
#include "report/graph_dot.h"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Options that the test programs understand.
struct PassedOn {
  const char* name;
  const char* value;
  const char* help;
};
constexpr std::array kPassedOn = std::to_array<PassedOn>({
    {"--replay", "SCHEDULE", "run this execution again"},
    {"--search", "KIND",
     "exhaustive (default), traces, states, preemptions, pct, random"},
    {"--preemptions", "N", "at most so many, fewest first (default: 2)"},
    {"--executions", "N", "at most so many of each program"},
    {"--steps", "N", "at most so many events in one execution"},
    {"--heap", "KIND",
     "lifo, fifo, quarantine, shared, all, own (default: as needed)"},
    {"--memory", "MODEL", "auto (C++'s), sc, tso, rc11: what reads may read"},
    {"--races", "WHAT", "find (default), allow"},
    {"--leaks", "WHAT", "find (default), allow"},
    {"--loops", "WHAT", "cut (default) those that change nothing short, keep"},
    {"--spurious", "WHAT",
     "what fails for no reason: all (default), cas, wakes, none"},
    {"--values", "WHICH",
     "programs with all (default) values; alike: up to their names"},
    {"--audit", "WHAT",
     "on (default): look for accesses that nobody tells; off"},
    {"--rand", "N", "rand() gives so many values (default: 4)"},
    {"--programs", "N", "make at most so many (default: 10000)"},
    {"--stress", "TIME", "run tests with real threads for so long"},
});
struct PassedFlag {
  const char* name;
  const char* help;
};
constexpr std::array kPassedFlags = std::to_array<PassedFlag>({
    {"--all", "go on with other programs after a violation"},
    {"--relax-orders", "name memory orders that are stronger than needed here"},
    {"--list", "name the tests and end"},
});

struct TestOptions {
  std::vector<std::string> files;
  std::vector<std::string> compiler_arguments;
  std::vector<std::string> only;
  std::vector<std::string> program_arguments;  // of whole programs
  std::map<std::string, std::string> values;   // of kPassedOn
  std::map<std::string, bool> flags;
  std::string optimise = "0";
  std::string dot;  // a file, or "" for none
  bool gdb = false;
  bool rebuild = false;
  CommonOptions common;
  CLI::Option* seed = nullptr;

  void add_to(CLI::App& command);
  bool stress() const { return !values.at("--stress").empty(); }
};

void TestOptions::add_to(CLI::App& command) {
  command.add_option("FILE", files, "tests in C++ or C")
      ->required()
      ->option_text("FILE...");
  command.add_option("--only", only, "this test only; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  for (const PassedOn& option : kPassedOn) {
    command.add_option(option.name, values[option.name], option.help)
        ->type_name(option.value);
  }
  for (const PassedFlag& flag : kPassedFlags) {
    command.add_flag(flag.name, flags[flag.name], flag.help);
  }
  command
      .add_option("--dot", dot,
                  "write execution graphs of violations to a file, for "
                  "Graphviz")
      ->type_name("FILE");
  command
      .add_option("--opt", optimise,
                  "how the compiler optimises tests (default: 0, so that it "
                  "joins no accesses)")
      ->check(CLI::IsMember({"0", "1", "2", "3", "s", "g"}))
      ->option_text("LEVEL");
  command.add_flag("--rebuild", rebuild,
                   "compile again what was compiled before");
  command
      .add_option("--args", program_arguments,
                  "for a program with a main() of its own; the last option")
      ->option_text("WORD...");
  command.add_flag("--gdb", gdb,
                   "with --replay: in the debugger, stopped where it fails");
  common.add_to(command);
  seed = command.get_option("--seed");
  command.footer(
      "What follows '--' goes to the compiler: -I, -D, -l, further files. CXX "
      "and CC name it.\n'plumb --help' tells the exit status.");
}

std::string message_of(const std::string& file, const char* kind,
                       const std::string& text) {
  return fmt::format("{}: {}: {}\n", one_line(file), kind, one_line(text));
}

// Files of which each is a test are named together; those that one is made of
// are not.
std::string hint_for_lost_code(const std::string& file,
                               const std::string& diagnostics) {
  if (diagnostics.find("undefined reference") == std::string::npos &&
      diagnostics.find("undefined symbol") == std::string::npos) {
    return "";
  }
  return fmt::format(
      "hint: is that in another file? then: plumb test {} -- OTHER.cpp\n",
      one_line(file));
}

// What came of one file.
struct FileResult {
  std::string output, errors;  // for people
  report::Json results = report::Json::array();
  std::vector<report::BadInput> told_errors;  // people were told
  std::optional<report::BadInput> error;
  ExitStatus status = kExitHolds;
};

class TestFiles {
 public:
  explicit TestFiles(const TestOptions& options)
      : options_(options),
        builder_({options.compiler_arguments, options.optimise,
                  options.stress(), isatty(STDERR_FILENO) != 0,
                  options.rebuild}) {}

  ExitStatus run_all();

 private:
  FileResult run_one(const std::string& file);
  BuiltTest build(const std::string& file, FileResult& result);
  void run_program(const std::string& file, const fs::path& program,
                   FileResult& result);
  std::vector<std::string> command_for(const std::string& file,
                                       const fs::path& program,
                                       const std::string& told) const;
  Clock::time_point latest_end() const;
  void debug(const std::string& file);
  void take(FileResult result);
  bool says_text() const { return options_.common.says_text(); }
  unsigned jobs_of_each() const {
    const auto files = static_cast<unsigned>(options_.files.size());
    return std::max(1u, options_.common.worker_count() / std::max(1u, files));
  }

  const TestOptions& options_;
  std::once_flag started_;
  Clock::time_point start_;  // of the first test: compiling does not count
  TestBuilder builder_;
  MergedResults merged_;
  ExitStatus status_ = kExitHolds;
};

ExitStatus TestFiles::run_all() {
  if (!builder_.note().empty()) {
    fmt::print(stderr, "plumb: note: {}\n", builder_.note());
  }
  std::vector<std::string> inputs = options_.files;
  for (const std::string& word : options_.compiler_arguments) {
    if (!word.starts_with('-')) inputs.push_back(word);
  }
  options_.common.outputs.require_apart({{"--dot", options_.dot}}, inputs);
  if (options_.gdb) debug(options_.files.front());
  std::vector<FileResult> results(options_.files.size());
  in_order(
      results.size(), options_.common.worker_count(),
      [&](std::size_t i) { results[i] = run_one(options_.files[i]); },
      [&](std::size_t i) { take(std::move(results[i])); });
  if (says_text() && merged_.tests() > 1) {
    fmt::print("\n{}\n", merged_.summary());
  }
  if (options_.common.outputs.any() || !options_.dot.empty()) {
    report::Sources sources = merged_.sources();
    const report::Json file = merged_.to_json(run_facts(sources));
    options_.common.outputs.write(file, options_.common.quiet);
    if (!options_.dot.empty()) {
      write_output(options_.dot, report::graphs_as_dot(file));
    }
  }
  return Budget::interrupted ? kExitInterrupted : status_;
}

FileResult TestFiles::run_one(const std::string& file) {
  FileResult result;
  if (Budget::interrupted) return result;
  try {
    const BuiltTest built = build(file, result);
    if (!built.program.empty()) run_program(file, built.program, result);
  } catch (const InputError& error) {
    result.error = {file, error.describe()};
  } catch (const fs::filesystem_error& error) {
    result.error = {file, message_of(file, "error", error.what())};
  }
  if (result.error) result.status = kExitBadInput;
  return result;
}

BuiltTest TestFiles::build(const std::string& file, FileResult& result) {
  BuiltTest built = builder_.build(file);
  result.errors += built.diagnostics;
  if (built.program.empty()) {
    result.error = {
        file, message_of(file, "error",
                         Budget::interrupted ? "interrupted while it was built"
                                             : "it could not be built") +
                  hint_for_lost_code(file, built.diagnostics)};
  }
  if (!built.note.empty()) {
    result.errors += fmt::format("plumb: note: {}\n", one_line(built.note));
  }
  if (!built.unseen.empty()) {
    result.errors += message_of(
        file, "note",
        fmt::format("the code in {} was not compiled here; what it does to "
                    "memory that threads share is followed by the audit, which "
                    "is slow",
                    fmt::join(built.unseen, ", ")));
  }
  return built;
}

std::vector<std::string> TestFiles::command_for(const std::string& file,
                                                const fs::path& program,
                                                const std::string& told) const {
  std::vector<std::string> out = {program.string(), "--results", told};
  std::string again = "plumb test " + shell_word(file);
  if (options_.optimise != "0") again += " --opt " + options_.optimise;
  out.insert(out.end(), {"--command", again});
  std::string compiler;
  for (const std::string& word : options_.compiler_arguments) {
    compiler += ' ' + shell_word(word);
  }
  if (!compiler.empty()) {
    out.insert(out.end(), {"--command-end", " --" + compiler});
  }
  for (const std::string& name : options_.only) {
    out.insert(out.end(), {"--only", name});
  }
  for (const auto& [name, value] : options_.values) {
    if (!value.empty()) out.insert(out.end(), {name, value});
  }
  for (const auto& [name, is_set] : options_.flags) {
    if (is_set) out.push_back(name);
  }
  const CommonOptions& common = options_.common;
  if (options_.seed->count() > 0) {
    out.insert(out.end(), {"--seed", std::to_string(common.seed)});
  }
  if (!common.time_limit.empty()) {
    const double left =
        parse_seconds(common.time_limit) -
        std::chrono::duration<double>(Clock::now() - start_).count();
    out.insert(out.end(),
               {"--time-limit", fmt::format("{:.3f}", std::max(0.0, left)),
                "--time-limit-of", common.time_limit});
  }
  if (!common.memory_limit.empty()) {
    out.insert(out.end(), {"--memory-limit", common.memory_limit});
  }
  out.insert(out.end(), {"--jobs", std::to_string(jobs_of_each())});
  if (!says_text()) out.push_back("--quiet");
  if (common.outputs.any() || !options_.dot.empty()) {
    out.push_back("--stories");
  }
  out.push_back(common.color() ? "--color" : "--no-color");
  if (!options_.program_arguments.empty()) {
    out.push_back("--args");
    out.insert(out.end(), options_.program_arguments.begin(),
               options_.program_arguments.end());
  }
  return out;
}

// What became of a program that did not tell all of its results.
std::string end_of(const ProcessResult& ran) {
  if (Budget::interrupted) return "the test program was interrupted";
  if (ran.signal != 0) {
    return fmt::format("the test program was ended by signal {} ({})",
                       ran.signal, strsignal(ran.signal));
  }
  return fmt::format("the test program ended with status {}", ran.status);
}

void TestFiles::run_program(const std::string& file, const fs::path& program,
                            FileResult& result) {
  std::call_once(started_, [this] { start_ = Clock::now(); });
  ToldResults told;
  // A single one may draw its progress, and shows results as they come.
  const bool alone = options_.files.size() == 1;
  if (alone) {
    std::fputs(std::exchange(result.errors, "").c_str(), stderr);
    std::fflush(stdout);
  }
  const auto say = [&](std::FILE* to, const std::string& text) {
    if (alone) {
      std::fputs(text.c_str(), to);
      std::fflush(to);
    } else {
      (to == stdout ? result.output : result.errors) += text;
    }
  };
  const auto read_more = [&] {
    told.read_more(say);
    return told.are_whole();
  };
  const ProcessResult ran = run_process(command_for(file, program, told.path()),
                                        {.keep_output = !alone,
                                         .fixed_addresses = true,
                                         .input = "",
                                         .while_waiting = read_more,
                                         .latest_end = latest_end(),
                                         .kills_orphans = true});
  read_more();
  if (!told.are_whole()) told.add_found(say);
  const bool is_over = ran.was_late || Budget::interrupted;
  if (is_over && !told.are_whole()) {
    told.add_unknown(fs::path(file).stem().string(), file,
                     Budget::interrupted
                         ? "interrupted, and the test program did not end: it "
                           "was killed"
                         : fmt::format("the time limit of {} was reached, and "
                                       "the test program did not end: it was "
                                       "killed",
                                       options_.common.time_limit),
                     say);
  }
  result.output = ran.output + result.output;
  result.errors += ran.errors;
  result.results = told.take_results();
  result.told_errors = told.take_errors();
  result.status = told.status();
  if (!told.are_whole() && !is_over) {
    result.error = {file, message_of(file, "error",
                                     end_of(ran) + " before it could tell all "
                                                   "of its results")};
  } else if (ran.signal != 0 && !is_over) {
    result.errors +=
        message_of(file, "note", "after its last test, " + end_of(ran));
  }
}

// Tests look at limits themselves, unless the code under test keeps them from
// it.
Clock::time_point TestFiles::latest_end() const {
  constexpr auto kGrace = std::chrono::milliseconds(800);
  constexpr double kLongest = 1e9;
  const std::string& limit = options_.common.time_limit;
  const double seconds = limit.empty() ? kLongest : parse_seconds(limit);
  if (seconds >= kLongest) return Clock::time_point::max();
  return start_ + kGrace +
         std::chrono::duration_cast<Clock::duration>(
             std::chrono::duration<double>(seconds));
}

void TestFiles::debug(const std::string& file) {
  if (options_.files.size() != 1 || options_.values.at("--replay").empty()) {
    throw InputError("--gdb needs one FILE and --replay",
                     "every violation tells its schedule");
  }
  FileResult result;
  const BuiltTest built = build(file, result);
  std::fputs(result.errors.c_str(), stderr);
  if (result.error) {
    throw InputError(Place{.source = file, .text = ""},
                     "it could not be built");
  }
  // Faults end an execution there; calls that cannot be explained end at
  // their last return.
  std::vector<std::string> command = {"gdb", "-q"};
  for (const char* order :
       {"set breakpoint pending on", "break plumb::runtime::fail",
        "break plumb_stop_here", "run"}) {
    command.insert(command.end(), {"-ex", order});
  }
  command.insert(command.end(),
                 {"--args", built.program.string(), "--gdb-stop"});
  for (const std::string& name : options_.only) {
    command.insert(command.end(), {"--only", name});
  }
  for (const auto& [name, value] : options_.values) {
    if (!value.empty()) command.insert(command.end(), {name, value});
  }
  become(command);
}

void TestFiles::take(FileResult result) {
  std::fputs(result.errors.c_str(), stderr);
  if (says_text()) std::fputs(result.output.c_str(), stdout);
  std::fflush(stdout);
  merged_.add(std::move(result.results), std::move(result.told_errors));
  if (result.error) {
    std::fputs(result.error->message.c_str(), stderr);
    merged_.add(std::move(*result.error));
  }
  status_ = worse(status_, result.status);
}

}  // namespace

Command add_test_command(CLI::App& app,
                         const std::vector<std::string>& compiler_arguments) {
  CLI::App* command = app.add_subcommand(
      "test", "build tests of real code and explore their interleavings");
  auto options = std::make_shared<TestOptions>();
  options->compiler_arguments = compiler_arguments;
  options->add_to(*command);
  return [options] { return TestFiles(*options).run_all(); };
}

}  // namespace plumb::cli
