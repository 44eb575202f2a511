// SPDX-License-Identifier: Apache-2.0
#include "cli/test_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "base/version.h"
#include "cli/compiler_environment.h"
#include "cli/elf_file.h"
#include "cli/file_trace.h"
#include "cli/process.h"

namespace plumb::cli {

namespace fs = std::filesystem;

namespace {

bool ends_in(std::string_view text, std::initializer_list<const char*> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char* end) { return text.ends_with(end); });
}

bool is_c(std::string_view file) {
  return file.ends_with(".c");
}
bool is_source(std::string_view file) {
  return ends_in(file, {".cpp", ".cc", ".cxx", ".c++", ".C", ".c"}) &&
         !file.starts_with("-");
}
// Of the compiler's arguments: those that only linking needs.
bool is_for_linking(std::string_view argument) {
  return argument.starts_with("-l") || argument.starts_with("-L") ||
         argument.starts_with("-Wl,") || ends_in(argument, {".o", ".a", ".so"});
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// Libraries that every program has, and ours.
bool is_usual(std::string_view library) {
  constexpr std::array kUsual = {
      "libc.so",  "libstdc++.so",  "libm.so",         "libgcc_s.so",
      "ld-linux", "libpthread.so", "libplumbline.so", "libatomic.so",
      "librt.so", "libdl.so",      "libc++"};
  return std::any_of(kUsual.begin(), kUsual.end(), [&](const char* name) {
    return library.starts_with(name);
  });
}

// By the clock of file systems, which stands still for some milliseconds: all
// that was written before the call was written before this moment.
timespec next_moment() {
  timespec before{}, now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &before);
  do {
    usleep(500);
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
  } while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
  return now;
}

std::string quoted_for_c(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

struct TestBuilder::Compiler {
  std::vector<std::string> command;  // "g++", or "ccache" "g++"
  std::string version;               // what it says of itself
  bool is_clang = false;
  bool is_for_c = false;
};

// Builds one program in a folder of its own.
class TestBuilder::Job {
 public:
  Job(const Compiler& compiler, const std::vector<std::string>& flags,
      const std::vector<std::string>& link_flags, TestCache& cache,
      bool has_tests)
      : compiler_(compiler),
        flags_(flags),
        link_flags_(link_flags),
        has_tests_(has_tests),
        cache_(cache),
        folder_(cache.new_folder()) {}
  ~Job() { cache_.remove(folder_); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  bool compile(const std::string& file);
  // After all files: a program that has a main of its own and no tests is a
  // test as a whole, named after `file`.
  bool link(const std::string& file);

  const fs::path& program() const { return program_; }
  std::optional<TracedFiles> files = TracedFiles();  // of all commands
  std::string why_unseen;                            // if there are none
  std::string diagnostics;

 private:
  bool run(std::vector<std::string> command, const std::string& input = "");
  bool add_stub(const std::string& file);
  bool is_whole_program() const;

  const Compiler& compiler_;
  const std::vector<std::string>& flags_;
  const std::vector<std::string>& link_flags_;
  const bool has_tests_;  // or is what main() does
  TestCache& cache_;
  fs::path folder_;
  fs::path program_;  // what was linked
  std::vector<std::string> objects_;
};

bool TestBuilder::Job::run(std::vector<std::string> command,
                           const std::string& input) {
  command.insert(command.begin(), compiler_.command.begin(),
                 compiler_.command.end());
  const TracedProcess traced =
      run_traced(command, (folder_ / "notes").string(), {.input = input});
  diagnostics += traced.result.output + traced.result.errors;
  if (files && traced.files) {
    files->add(*traced.files);
    files->leave_out(folder_.string());
  } else if (files) {
    files.reset();
    why_unseen = traced.why_not;
  }
  return traced.result.succeeded();
}

bool TestBuilder::Job::compile(const std::string& file) {
  const std::string base =
      (folder_ / fmt::format("part{}", objects_.size())).string();
  std::vector<std::string> command = flags_;
  // A file in C among those in C++, say, keeps its own language.
  std::erase_if(command, [&](const std::string& flag) {
    return is_c(file) && flag.starts_with("-std=c++");
  });
  if (is_c(file)) command.insert(command.end(), {"-x", "c"});
  command.insert(command.end(), {"-o", base + ".o", "-c", file});
  if (!run(command)) return false;
  objects_.push_back(base + ".o");
  return true;
}

bool TestBuilder::Job::is_whole_program() const {
  bool has_main = false;
  for (const std::string& object : objects_) {
    const ElfFile symbols = read_elf(object);
    if (symbols.undefined.contains("plumb_register") ||
        symbols.undefined.contains("plumb_new_case")) {
      return false;
    }
    has_main |= symbols.defined.contains("main");
  }
  return has_main;
}

bool TestBuilder::Job::add_stub(const std::string& file) {
  const std::string text = fmt::format(
      "int __real_main(int, char**, char**);\n"
      "int plumb_whole_program(const char*, const char*,\n"
      "                        int (*)(int, char**, char**), int, char**);\n"
      "int __wrap_main(int argc, char** argv) {{\n"
      "  return plumb_whole_program({}, {}, __real_main, argc, argv);\n"
      "}}\n",
      quoted_for_c(fs::path(file).stem().string()), quoted_for_c(file));
  const std::string object = (folder_ / "stub.o").string();
  if (!run({"-x", "c", "-w", "-c", "-o", object, "-"}, text)) return false;
  objects_.push_back(object);
  objects_.push_back("-Wl,--wrap=main");
  return true;
}

bool TestBuilder::Job::link(const std::string& file) {
  if (has_tests_ && is_whole_program() && !add_stub(file)) return false;
  program_ = folder_ / fs::path(file).stem();
  std::vector<std::string> command = objects_;
  command.insert(command.end(), link_flags_.begin(), link_flags_.end());
  command.insert(command.end(), {"-o", program().string()});
  return run(command);
}

Installation find_installation() {
  std::error_code error;
  const fs::path here = fs::canonical("/proc/self/exe", error).parent_path();
  const fs::path up = here.parent_path();
  for (const fs::path& folder :
       {here, up / "lib", up / "lib64", up / PLUMB_LIBRARY_FOLDER}) {
    const fs::path library = folder / "libplumbline.so";
    if (!fs::exists(library, error)) continue;
    // Only what lies in the folder that it was built in uses the sources.
    std::vector<fs::path> places = {up / "include"};
    if (folder == here) places.emplace_back(PLUMB_SOURCE_HEADERS);
    for (const fs::path& headers : places) {
      if (fs::exists(headers / "plumb" / "test.h", error)) {
        return {library, headers};
      }
    }
  }
  throw InputError(
      "libplumbline.so and plumb/test.h are not where they "
      "should be, seen from this program",
      "install the whole of Plumbline");
}

TestBuilder::TestBuilder(BuildOptions options)
    : options_(std::move(options)), installation_(find_installation()) {}

std::vector<std::string> find_compiler(bool for_c) {
  const char* const variable = for_c ? "CC" : "CXX";
  const char* const wanted = std::getenv(variable);
  std::vector<std::string> command;
  if (wanted != nullptr) command = words_of(wanted);
  if (command.empty()) {
    for (const char* name :
         {for_c ? "gcc" : "g++", for_c ? "clang" : "clang++"}) {
      if (find_program(name).empty()) continue;
      return {name};
    }
    throw InputError(
        fmt::format("there is no compiler for {}", for_c ? "C" : "C++"),
        fmt::format("install {} or {}, or name one in {}",
                    for_c ? "gcc" : "g++", for_c ? "clang" : "clang++",
                    variable));
  }
  if (find_program(command[0]).empty()) {
    throw InputError(fmt::format("there is no compiler '{}'", command[0]),
                     fmt::format("the variable {} names it", variable));
  }
  return command;
}

TestBuilder::Compiler TestBuilder::compiler_for(const std::string& file) const {
  Compiler out;
  out.is_for_c = is_c(file);
  out.command = find_compiler(out.is_for_c);
  std::vector<std::string> ask = out.command;
  ask.push_back("--version");
  out.version = run_process(ask).output;
  out.is_clang = out.version.find("clang") != std::string::npos;
  return out;
}

// Clang's hooks leave out parts of locals (members, elements) where that very
// address is passed to nobody, though the local is.  With calls that are told
// of each load and store, it is passed to them (since clang 14).
constexpr const char* kAllLocalsForClang =
    "-fsanitize-coverage=func,trace-loads,trace-stores";

std::vector<std::string> TestBuilder::flags_for(
    const Compiler& compiler) const {
  std::vector<std::string> flags;
  if (!compiler.is_for_c) flags.push_back("-std=c++20");
  flags.insert(flags.end(),
               {"-g", "-O" + (options_.native ? "2" : options_.optimise),
                "-pthread", "-I" + installation_.headers.string()});
  if (!options_.native) {
    flags.push_back("-fsanitize=thread");
    // A version of a header of libstdc++ with more in sight.
    flags.insert(
        flags.end(),
        {"-isystem", (installation_.headers / "plumb" / "seen").string()});
    for (std::string& flag : words_of(PLUMB_CALLED)) {
      flags.push_back(std::move(flag));
    }
    if (compiler.is_clang) {
      flags.insert(flags.end(), {"-mllvm", "-tsan-distinguish-volatile=1",
                                 kAllLocalsForClang});
    } else {
      flags.insert(flags.end(),
                   {"--param", "tsan-distinguish-volatile=1", "-Wno-tsan"});
    }
  }
  if (options_.color) flags.push_back("-fdiagnostics-color=always");
  for (const std::string& argument : options_.arguments) {
    if (!is_for_linking(argument) && !is_source(argument)) {
      flags.push_back(argument);
    }
  }
  return flags;
}

std::string TestBuilder::key_of(const std::string& file,
                                const Compiler& compiler,
                                const std::vector<std::string>& flags) const {
  Digest key;
  key.add(kVersion).add(fs::current_path().string()).add(file);
  for (const std::string& word : compiler.command) {
    key.add(word).add(find_program(word));
  }
  key.add(compiler.version);
  for (const std::string& variable : compiler_environment()) key.add(variable);
  for (const std::string& flag : flags) key.add(flag);
  if (options_.specification) key.add("--spec");
  key.add("--");
  for (const std::string& argument : options_.arguments) key.add(argument);
  // The library itself is found when the program starts.
  key.add(installation_.library.string());
  return key.to_string();
}

BuiltTest TestBuilder::build(const std::string& file) {
  if (!is_source(file)) {
    throw InputError(Place{.source = file, .text = ""},
                     "a test is a file in C++ or C: .cpp, .cc, .cxx, .c");
  }
  if (access(file.c_str(), R_OK) != 0) {
    throw InputError(Place{.source = file, .text = ""},
                     "there is no such file, or it cannot be read");
  }
  const Compiler compiler = compiler_for(file);
  const std::vector<std::string> flags = flags_for(compiler);
  const std::string key = key_of(file, compiler, flags);
  BuiltTest out;
  const auto known = options_.rebuild ? std::nullopt : cache_.find(key);
  if (known) {
    out.program = *known;
  } else {
    out = compile(file, compiler, flags, key);
  }
  if (out.program.empty()) return out;
  for (std::string& library : read_elf(out.program.string()).needed) {
    if (!is_usual(library)) out.unseen.push_back(std::move(library));
  }
  return out;
}

std::vector<std::string> TestBuilder::link_flags() const {
  if (options_.specification) return {};
  std::vector<std::string> out = {
      "-pthread", "-Wl,-z,now", "-Wl,--no-as-needed",
      installation_.library.string(),
      "-Wl,-rpath," + installation_.library.parent_path().string()};
  for (const std::string& argument : options_.arguments) {
    if (is_for_linking(argument) || argument.starts_with("-fopenmp")) {
      out.push_back(argument);
    }
  }
  return out;
}

BuiltTest TestBuilder::compile(const std::string& file,
                               const Compiler& compiler,
                               const std::vector<std::string>& flags,
                               const std::string& key) {
  const std::vector<std::string> link = link_flags();
  std::vector<std::string> files = {file};
  for (const std::string& argument : options_.arguments) {
    if (is_source(argument)) files.push_back(argument);
  }
  BuiltTest out;
  const timespec since = next_moment();
  Job job(compiler, flags, link, cache_, !options_.specification);
  const bool built =
      std::all_of(files.begin(), files.end(),
                  [&](const std::string& each) { return job.compile(each); }) &&
      job.link(file);
  out.diagnostics = terminal_text(job.diagnostics, options_.color);
  if (!built) return out;
  if (!job.files) {
    out.note =
        fmt::format("{}, so '{}' is built each time", job.why_unseen, file);
  }
  const std::lock_guard lock(keeping_);
  out.program = cache_.keep(key, job.program(), job.files, since);
  return out;
}

}  // namespace plumb::cli
