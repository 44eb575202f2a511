// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace plumb::cli {

namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;

// Tests run in a region with tables beside it that is laid out at once but
// hardly used (runtime/heap.h, races.h): 20 GB and more.
constexpr std::uint64_t kAddressSpace = 24 * kGiga;
// A program that was built from a test takes one to ten of these.
constexpr std::uint64_t kRoomForPrograms = 100 * kMega;
constexpr std::uint64_t kLittleMemory = kGiga;

Finding well(std::string subject, std::string found) {
  return {.subject = std::move(subject),
          .health = Health::kOk,
          .found = std::move(found),
          .advice = ""};
}

Finding warning(std::string subject, std::string found, std::string advice) {
  return {.subject = std::move(subject),
          .health = Health::kWarning,
          .found = std::move(found),
          .advice = std::move(advice)};
}

Finding problem(std::string subject, std::string found, std::string advice) {
  return {.subject = std::move(subject),
          .health = Health::kProblem,
          .found = std::move(found),
          .advice = std::move(advice)};
}

// The first lines, in one.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t kMost = 300;
  std::string out;
  for (const char c : text) {
    if (out.size() >= kMost) return out + "...";
    if (c != '\n') {
      out += c;
    } else if (!out.empty() && !out.ends_with("; ")) {
      out += "; ";
    }
  }
  while (out.ends_with(' ') || out.ends_with(';')) out.pop_back();
  return out;
}

std::string free_space(const Folder& folder) {
  return fmt::format("{}, {} free", folder.path, bytes_in_words(folder.free));
}

}  // namespace

std::string bytes_in_words(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (bytes >= kGiga) {
    return fmt::format("{:.1f} GB", amount / static_cast<double>(kGiga));
  }
  return fmt::format("{:.0f} MB", amount / static_cast<double>(kMega));
}

Finding judge_compiler(const Search& compiler) {
  if (!compiler.found.empty()) return well("compiler", compiler.found);
  return problem("compiler", compiler.why_not, compiler.advice);
}

Finding judge_c_compiler(const Search& compiler) {
  if (!compiler.found.empty()) return well("C compiler", compiler.found);
  return warning("C compiler", compiler.why_not + "; tests in C need one",
                 compiler.advice);
}

Finding judge_library(const Library& library, const std::string& version) {
  if (library.place.found.empty()) {
    return problem("library", library.place.why_not, library.place.advice);
  }
  if (!library.version.empty() && library.version != version) {
    return problem(
        "library",
        fmt::format("{} is of version {}, this program of version {}",
                    library.place.found, library.version, version),
        "install both from the same package");
  }
  return well("library", library.place.found);
}

Finding judge_instrumentation(const Trial& trial) {
  const std::string subject = "instrumentation";
  if (!trial.was_run) {
    return problem(subject, "not tried, since something else is missing",
                   "see the problems above");
  }
  if (trial.right_verdict == "holds" && trial.wrong_verdict == "violated") {
    return well(subject,
                "a test that is right holds, one with a bug is violated");
  }
  const std::string said = beginning_of(trial.said);
  if (trial.right_verdict.empty() && trial.wrong_verdict.empty()) {
    return problem(subject,
                   said.empty() ? "a small test could not be built and run"
                                : "a small test cannot be run: " + said,
                   "try 'plumb test' on a test of your own for the whole "
                   "message; CXX names another compiler");
  }
  return problem(
      subject,
      fmt::format("of two small tests, the one that is right is said to be "
                  "'{}', the one with a bug '{}'",
                  trial.right_verdict, trial.wrong_verdict),
      "try another compiler (CXX=g++ or CXX=clang++); no verdict of 'plumb "
      "test' can be relied on here");
}

Finding judge_debug_information(const Trial& trial) {
  const std::string subject = "debug information";
  if (trial.wrong_verdict.empty()) {
    return warning(subject, "not known, since no test could be run",
                   "see instrumentation");
  }
  if (trial.has_lines && trial.has_variables) {
    return well(subject, "steps are shown with their lines and variables");
  }
  return warning(
      subject,
      trial.has_lines ? "steps are shown without the names of variables"
                      : "steps are shown without their lines",
      "libdw cannot read what this compiler writes: try -gdwarf-4 after '--', "
      "or a newer libdw (elfutils)");
}

Finding judge_processor(const Machine& machine) {
  const std::string subject = "processor";
  if (machine.architecture != "x86_64") {
    return problem(
        subject,
        fmt::format("{}: tests of code need x86_64", machine.architecture),
        "run 'plumb test' on a machine with x86_64");
  }
  if (machine.has_fsgsbase) {
    return well(subject, "x86_64 with FSGSBASE, for quick changes of threads");
  }
  return warning(subject,
                 "x86_64 without FSGSBASE: each change of threads in a test "
                 "with thread_local variables is a system call",
                 "Linux 5.9 or newer, not booted with 'nofsgsbase', makes "
                 "tests faster");
}

Finding judge_addresses(const Machine& machine) {
  const std::string subject = "addresses";
  if (machine.can_fix_addresses) {
    return well(subject, "tests lie at the same place in every run");
  }
  return warning(subject,
                 "tests lie elsewhere in every run, so that code which looks "
                 "at addresses may not replay",
                 "allow the system call personality(2); of Docker: "
                 "--security-opt seccomp=unconfined");
}

Finding judge_memory(const Machine& machine) {
  const std::string subject = "memory";
  if (machine.address_space && *machine.address_space < kAddressSpace) {
    return problem(subject,
                   fmt::format("the address space ends at {} (ulimit -v)",
                               bytes_in_words(*machine.address_space)),
                   "raise it, or drop it: ulimit -v unlimited; --memory-limit "
                   "bounds a run better");
  }
  const std::uint64_t usable =
      std::min(machine.memory, machine.memory_of_group.value_or(UINT64_MAX));
  // What commands take for granted without --memory-limit (cli/common.cpp).
  if (usable < machine.memory / 4 * 3) {
    return warning(
        subject,
        fmt::format("{}, of which this container may use {}",
                    bytes_in_words(machine.memory), bytes_in_words(usable)),
        fmt::format("give --memory-limit {}M, or a large run is killed",
                    usable / 4 * 3 / kMega));
  }
  if (usable < kLittleMemory) {
    return warning(subject, bytes_in_words(usable),
                   "that is little; models with millions of states need more");
  }
  return well(subject, bytes_in_words(usable));
}

Finding judge_cores(const Machine& machine) {
  const std::string subject = "cores";
  const double usable = machine.cores_of_group.value_or(machine.cores);
  if (usable < machine.cores - 0.5) {
    return warning(
        subject,
        fmt::format("{}, of which this container may use {:.1f}", machine.cores,
                    usable),
        fmt::format("give --jobs {}", std::max(1.0, std::round(usable))));
  }
  return well(subject, std::to_string(machine.cores));
}

Finding judge_cache(const Folder& folder) {
  const std::string subject = "cache folder";
  const char* const another = "name another one in XDG_CACHE_HOME";
  if (folder.path.empty()) {
    return warning(subject,
                   "there is none, so that tests are compiled again each time",
                   "set HOME or XDG_CACHE_HOME");
  }
  if (!folder.can_write) {
    return warning(subject,
                   fmt::format("{} cannot be written to, so that tests are "
                               "compiled again each time",
                               folder.path),
                   fmt::format("make it yours, or {}", another));
  }
  if (!folder.can_execute) {
    return problem(subject,
                   folder.path + " does not let programs be run (noexec)",
                   another);
  }
  if (folder.free < kRoomForPrograms) {
    return warning(subject, free_space(folder),
                   fmt::format("make room, or {}", another));
  }
  return well(subject, free_space(folder));
}

Finding judge_temporary(const Folder& folder) {
  const std::string subject = "temporary folder";
  if (!folder.can_write) {
    return problem(subject,
                   fmt::format("{} cannot be written to",
                               folder.path.empty() ? "it" : folder.path),
                   "name another one in TMPDIR");
  }
  if (folder.free < kRoomForPrograms) {
    return warning(subject, free_space(folder),
                   "make room, or name another one in TMPDIR");
  }
  return well(subject, free_space(folder));
}

Finding judge_spill(const Folder& folder) {
  const std::string subject = "room for states";
  if (folder.can_write) return well(subject, free_space(folder));
  return warning(subject,
                 fmt::format("{} cannot be written to, so that a model must "
                             "fit into memory",
                             folder.path),
                 "name a folder with --spill or TMPDIR");
}

Finding judge_debugger(const Search& debugger, const Machine& machine) {
  const std::string subject = "debugger";
  if (debugger.found.empty()) {
    return warning(subject, debugger.why_not + "; only --gdb needs it",
                   debugger.advice);
  }
  if (!machine.can_trace) {
    return warning(subject,
                   debugger.found +
                       ", but nobody may trace a program here; "
                       "only --gdb needs that",
                   "set kernel.yama.ptrace_scope to 0, 1 or 2");
  }
  return well(subject, debugger.found);
}

Finding judge_terminal(const Terminal& terminal) {
  const std::string subject = "terminal";
  const std::string words = !terminal.is_there
                                ? "none: no colours, no progress lines"
                            : terminal.has_color ? "with colours"
                                                 : "without colours (NO_COLOR)";
  if (terminal.encoding == "UTF-8" || !terminal.is_there) {
    return well(subject, words);
  }
  return warning(subject,
                 fmt::format("{}; its encoding is {}, not UTF-8, which matters "
                             "only for words of your own that are not ASCII",
                             words, terminal.encoding),
                 "set LANG=C.UTF-8");
}

bool can_test(const std::vector<Finding>& findings) {
  return std::none_of(
      findings.begin(), findings.end(),
      [](const Finding& each) { return each.health == Health::kProblem; });
}

std::string to_text(const std::vector<Finding>& findings, bool color) {
  struct Word {
    const char* word;
    const char* color;
  };
  constexpr std::array kWords = std::to_array<Word>(
      {{"ok", "\033[32m"}, {"warning", "\033[33m"}, {"problem", "\033[31m"}});
  std::size_t width = 0;
  for (const Finding& finding : findings) {
    width = std::max(width, finding.subject.size());
  }
  std::string out;
  for (const Finding& finding : findings) {
    const Word& word = kWords[static_cast<std::size_t>(finding.health)];
    out += fmt::format("{}{:<7}{}  {:<{}}  {}\n", color ? word.color : "",
                       word.word, color ? "\033[0m" : "", finding.subject,
                       width, finding.found);
    if (!finding.advice.empty()) {
      out += fmt::format("{:<{}}  -> {}\n", "", width + 9, finding.advice);
    }
  }
  return out + (can_test(findings)
                    ? "\nEvery command can work.\n"
                    : "\n'plumb test' cannot work here; histories and models "
                      "can be judged.\n");
}

}  // namespace plumb::cli
