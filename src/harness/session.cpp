// SPDX-License-Identifier: Apache-2.0
#include "harness/session.h"

#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/budget.h"
#include "base/input_error.h"
#include "base/shell_word.h"
#include "base/terminal_text.h"
#include "harness/options.h"
#include "harness/registry.h"
#include "harness/result_sink.h"
#include "harness/results.h"
#include "harness/run_test.h"
#include "lang/spec_file.h"
#include "runtime/core.h"
#include "runtime/early_memory.h"
#include "runtime/patience.h"

namespace plumb::harness {

namespace {

constexpr int kBadInput = 2;

void interrupt(int) {
  Budget::interrupted = true;
}

// Starts the program again, with everything at the same places in memory
// whenever it runs, unless it is so already.
void fix_addresses(char** argv) {
  const int now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) {
    return;
  }
  // Not everybody may: then it goes on as it is.
  execv("/proc/self/exe", argv);
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  if (file != nullptr) written &= std::fclose(file) == 0;
  if (written) return;
  throw InputError(Place{.source = path, .text = ""},
                   fmt::format("cannot write: {}", std::strerror(errno)));
}

// The code under test may go to another folder.
std::string from_anywhere(const std::string& path) {
  std::error_code error;
  if (path.empty() || path == "-") return path;
  return std::filesystem::absolute(path, error).string();
}

// A main() as the body of a test.  Its arguments are known when those of ours
// were read.
struct WholeProgram {
  MainFunction main_function = nullptr;
  std::string words;         // its own name first, each ended by a zero
  std::vector<char> buffer;  // a copy that the program may write to
  std::vector<char*> argv;   // ... and where words begin in it

  void add(const std::string& word) { words += word + '\0'; }
  void lay_out() {
    buffer.assign(words.begin(), words.end());
    for (std::size_t at = 0; at < words.size(); at = words.find('\0', at) + 1) {
      argv.push_back(buffer.data() + at);
    }
    argv.push_back(nullptr);
  }
};
WholeProgram whole_program;

// Allocates nothing: that would count as the program's.
class MainBody final : public test::Body {
 public:
  void run() const override {
    WholeProgram& whole = whole_program;
    std::copy(whole.words.begin(), whole.words.end(), whole.buffer.begin());
    const int status = whole.main_function(
        static_cast<int>(whole.argv.size() - 1), whole.argv.data(), environ);
    if (status != 0) {
      runtime::fail(runtime::Fault::kAssertion, 0, "main() returned %d",
                    status);
    }
  }
};

// Runs that confirm what was found may still go on after the time limit.
constexpr auto kToConfirm = std::chrono::milliseconds(600);

class Session {
 public:
  Session(Options options, ResultSink& sink)
      : options_(std::move(options)), sink_(sink), budget_(options_.budget()) {
    options_.json = from_anywhere(options_.json);
  }

  int run();

 private:
  std::vector<Registered> chosen() const;
  void run_one(const test::Case& test);
  void announce_tests();
  std::string specification_of(const test::Case& test) const;
  void take(TestResult result);
  void tell_found(const TestResult& result);
  void take(const test::Case& test, const InputError& error);
  bool says_text() const { return !options_.quiet && options_.json != "-"; }

  Options options_;
  ResultSink& sink_;
  Budget budget_;
  std::vector<std::unique_ptr<test::Case>> cases_;
  // Their specifications may be models, which need their cases.
  std::vector<TestResult> results_;
  std::vector<report::BadInput> errors_;
  bool evidence_above_ = false;
  int status_ = 0;
};

std::vector<Registered> Session::chosen() const {
  const std::vector<Registered>& all = registered_tests();
  if (options_.only.empty()) return all;
  std::vector<Registered> out;
  std::vector<std::string> known;
  for (const Registered& test : all) known.push_back(test.name);
  for (const std::string& name : options_.only) {
    const std::size_t before = out.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(out),
                 [&](const Registered& test) { return test.name == name; });
    if (out.size() > before) continue;
    const std::string guess = nearest(name, known);
    throw InputError(fmt::format("there is no test '{}'", name),
                     guess.empty()
                         ? fmt::format("there are {}", fmt::join(known, ", "))
                         : fmt::format("did you mean '{}'?", guess));
  }
  return out;
}

void Session::take(TestResult result) {
  status_ = worse(status_, status_of(result));
  std::string text;
  if (says_text()) {
    if (evidence_above_) text = "\n";
    evidence_above_ = result.evidence && result.show_evidence;
    text += to_text(result, {.color = options_.color()});
  }
  if (sink_.is_for_plumb()) {
    sink_.add({{"text", std::move(text)}, {"result", to_json(result)}});
  } else {
    sink_.say(text);
  }
  results_.push_back(std::move(result));
}

// So that it is known if the rest does not come in time.
void Session::tell_found(const TestResult& result) {
  if (!sink_.is_for_plumb()) return;
  const std::string text =
      says_text() ? to_text(result, {.color = options_.color()}) : "";
  sink_.add({{"found", {{"text", text}, {"result", to_json(result)}}}});
}

void Session::take(const test::Case& test, const InputError& error) {
  status_ = kBadInput;
  errors_.push_back({test.file, error.describe()});
  sink_.add(errors_.back());
}

void Session::run_one(const test::Case& test) {
  const runtime::LatestEnd latest(options_.end(kToConfirm));
  try {
    take(run_test(test, options_, budget_,
                  [this](const TestResult& result) { tell_found(result); }));
  } catch (const InputError& error) {
    take(test, error);
  } catch (const std::bad_alloc&) {
    TestResult result;
    result.name = test.name;
    result.file = test.file;
    result.line = test.line;
    result.reason = "the machine has no more memory";
    take(std::move(result));
  }
}

// So that those are known that do not come to their end, and that no result is
// written over what they read.
void Session::announce_tests() {
  report::Json all = report::Json::array();
  report::Json reads = report::Json::array();
  for (const auto& test : cases_) {
    all.push_back(
        {{"name", test->name}, {"file", test->file}, {"line", test->line}});
    const std::string file = specification_of(*test);
    if (!file.empty()) reads.push_back(from_anywhere(file));
  }
  sink_.add(report::Json{{"tests", std::move(all)}, {"reads", reads}});
}

// Its file; "" if there is none, or what was said is wrong, which comes later.
std::string Session::specification_of(const test::Case& test) const {
  try {
    const std::filesystem::path source = test.place().source;
    return lang::specification_file(options_.over(test.settings).spec,
                                    source.parent_path().string());
  } catch (const InputError&) {
    return "";
  }
}

int Session::run() {
  const std::vector<Registered> tests = chosen();
  if (tests.empty()) {
    throw InputError("there is no test in this program",
                     "declare one with PLUMB_TEST; a file that is only a part "
                     "of a test goes behind it: plumb test TEST.cpp -- "
                     "PART.cpp");
  }
  if (options_.list) {
    std::string text;
    for (const Registered& test : tests) {
      text += fmt::format("{}:{}: {}\n", test.file, test.line, test.name);
    }
    sink_.say(terminal_text(text));
    return 0;
  }
  if (!options_.replay.empty() && tests.size() > 1) {
    throw InputError("--replay needs the name of a test", "add --only NAME");
  }
  // All are declared before the first runs: executions leave the program's
  // data as they found it.
  for (const Registered& test : tests) cases_.push_back(declared(test));
  options_.tests = cases_.size();
  announce_tests();
  for (const auto& test : cases_) {
    run_one(*test);
    --options_.tests;
  }
  if (options_.json == "-") {
    sink_.say(to_json(results_, errors_));
  } else if (!options_.json.empty()) {
    write_file(options_.json, to_json(results_, errors_));
  }
  return status_;
}

}  // namespace

namespace {

// Also when the other options cannot be read.
std::string results_option(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--args") break;
    if (std::string_view(argv[i]) == "--results") return argv[i + 1];
  }
  return "";
}

int run_session(int argc, char** argv, ResultSink& sink) {
  try {
    Options options = parse_options({argv + 1, argv + argc});
    if (options.command.empty()) options.command = shell_word(argv[0]);
    if (options.help) {
      sink.say(
          fmt::format("Runs the tests of this program.\n\n{}", options_help()));
      return 0;
    }
    for (const std::string& word : options.program_arguments) {
      whole_program.add(word);
    }
    whole_program.lay_out();
    if (options.gdb_stop) runtime::forbid_ticks();
    return Session(std::move(options), sink).run();
  } catch (const InputError& error) {
    sink.add(report::BadInput{"", error.describe()});
  } catch (const std::bad_alloc&) {
    sink.add(report::BadInput{"", "plumb: error: out of memory\n"});
  }
  return kBadInput;
}

}  // namespace

int run_registered(int argc, char** argv) {
  runtime::close_early_memory();
  fix_addresses(argv);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Ignored by nohup, or by a shell that works in the background.
    if (std::signal(signal, interrupt) == SIG_IGN) {
      std::signal(signal, SIG_IGN);
    }
  }
  try {
    ResultSink sink(results_option(argc, argv));
    const int status = run_session(argc, argv, sink);
    sink.end();
    return status;
  } catch (const InputError& error) {
    std::fputs(error.describe().c_str(), stderr);
  }
  return kBadInput;
}

int run_whole_program(const char* name, const char* file,
                      MainFunction main_function, int argc, char** argv) {
  whole_program.main_function = main_function;
  whole_program.add(argv[0]);
  registered_tests().push_back({name, file, 1, [](test::Case* test) {
                                  test->body = std::make_unique<MainBody>();
                                }});
  return run_registered(argc, argv);
}

namespace {

// Other frameworks have command lines of their own, so options of ours come
// from the environment; those for another test do not count.
Options options_for(const test::Case& test) {
  const char* const given = std::getenv("PLUMB_OPTIONS");
  std::istringstream words(given != nullptr ? given : "");
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  Options options = parse_options(all);
  const bool is_meant = options.only.empty() ||
                        std::find(options.only.begin(), options.only.end(),
                                  test.name) != options.only.end();
  return is_meant ? options : Options();
}

}  // namespace

void check_alone(test::Case& test) {
  try {
    require_complete(test);
    const Options options = options_for(test);
    Budget budget = options.budget();
    TestResult result = run_test(test, options, budget);
    if (result.evidence && !result.evidence->schedule.empty()) {
      result.replay =
          fmt::format("PLUMB_OPTIONS=\"--only {}{} --replay {}\" {}", test.name,
                      options.to_repeat(), result.evidence->schedule,
                      shell_word(program_invocation_name));
    }
    test.status = status_of(result);
    test.report = to_text(result, {});
  } catch (const InputError& error) {
    test.status = kBadInput;
    test.report = error.describe();
  }
}

}  // namespace plumb::harness
