// SPDX-License-Identifier: Apache-2.0
#include "harness/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/input_error.h"
#include "base/quantities.h"
#include "base/time_limit.h"

namespace plumb::harness {

namespace {

std::uint64_t number(const std::string& option, const std::string& value,
                     std::uint64_t most) {
  std::uint64_t out = 0;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, out);
  if (error != std::errc() || at != end || out > most) {
    throw InputError(fmt::format("{} takes a number up to {}, not '{}'", option,
                                 most, value));
  }
  return out;
}

struct Option {
  const char* name;
  const char* value;  // what it takes, for --help; "": nothing
  const char* help;
  void (*set)(Options&, const std::string& name, const std::string& value);
};

template <bool Options::*Flag>
void raise(Options& options, const std::string&, const std::string&) {
  options.*Flag = true;
}
template <std::string Options::*Text>
void keep(Options& options, const std::string&, const std::string& value) {
  options.*Text = value;
}
// A setting under its own name: --heap, --seed, ...
void forward(Options& options, const std::string& name,
             const std::string& value) {
  const std::string setting = name.substr(2);
  Settings().set(setting, value);  // throws if that is wrong
  options.settings.emplace_back(setting, value);
}

constexpr std::array kOptions = std::to_array<Option>({
    {"--json", "FILE", "write the results as JSON ('-': standard output)",
     keep<&Options::json>},
    {"--results", "FILE", "tell 'plumb test' the results there, line by line",
     keep<&Options::results>},
    {"--only", "NAME", "this test only; may be repeated",
     [](Options& o, const std::string&, const std::string& value) {
       o.only.push_back(value);
     }},
    {"--list", "", "name the tests and end", raise<&Options::list>},
    {"--replay", "SCHEDULE", "run this execution again",
     keep<&Options::replay>},
    {"--search", "KIND",
     "exhaustive (default), states, preemptions, pct, random", forward},
    {"--preemptions", "N", "at most so many, fewest first (default: 2)",
     forward},
    {"--executions", "N", "at most so many of each program", forward},
    {"--steps", "N", "at most so many events in one execution", forward},
    {"--heap", "KIND",
     "lifo, fifo, quarantine, shared, all, own (default: as needed)", forward},
    {"--memory", "MODEL", "auto (C++'s), sc, tso, rc11: what reads may read",
     forward},
    {"--races", "WHAT", "find (default), allow", forward},
    {"--leaks", "WHAT", "find (default), allow", forward},
    {"--loops", "WHAT", "cut (default) those that change nothing short, keep",
     forward},
    {"--spurious", "WHAT",
     "what fails for no reason: all (default), cas, wakes, none", forward},
    {"--values", "WHICH",
     "programs with all (default) values; alike: up to their names", forward},
    {"--audit", "WHAT",
     "on (default): look for accesses that nobody tells; off", forward},
    {"--rand", "N", "rand() gives so many values (default: 4)", forward},
    {"--seed", "N", "for random choices", forward},
    {"--programs", "N", "make at most so many (default: 10000)",
     [](Options& o, const std::string& name, const std::string& value) {
       o.programs = number(name, value, 1'000'000'000);
     }},
    {"--relax-orders", "", "name orders that are stronger than needed here",
     raise<&Options::relax_orders>},
    {"--all", "", "go on with other programs after a violation",
     raise<&Options::all>},
    {"--stress", "TIME", "run it with real threads for so long",
     [](Options& o, const std::string&, const std::string& value) {
       o.stress = parse_seconds(value);
     }},
    {"--time-limit", "TIME", "answer 'unknown' after this long: 60s, 5m",
     [](Options& o, const std::string&, const std::string& value) {
       parse_seconds(value);
       o.time_limit = value;
     }},
    {"--time-limit-of", "TIME", "... that being left of so much, for messages",
     [](Options& o, const std::string&, const std::string& value) {
       parse_seconds(value);
       o.whole_time_limit = value;
     }},
    {"--memory-limit", "SIZE", "use no more memory than this: 4G, 500M",
     [](Options& o, const std::string&, const std::string& value) {
       parse_bytes(value);
       o.memory_limit = value;
     }},
    {"--jobs", "N", "work in so many processes (0: one for each core)",
     [](Options& o, const std::string& name, const std::string& value) {
       o.jobs = static_cast<unsigned>(number(name, value, 1024));
     }},
    {"--stories", "", "--json tells the runs of expected violations, too",
     raise<&Options::stories>},
    {"--quiet", "", "no text, only the exit status and --json",
     raise<&Options::quiet>},
    {"--no-color", "", "no colours (NO_COLOR does the same)",
     raise<&Options::no_color>},
    {"--gdb-stop", "", "with --replay: call plumb_stop_here() at the end",
     raise<&Options::gdb_stop>},
    {"--command", "TEXT", "how the user started this, for messages",
     keep<&Options::command>},
    {"--command-end", "TEXT", "... what comes last in that",
     keep<&Options::command_end>},
    {"--color", "", "colours, whatever standard output is",
     raise<&Options::force_color>},
    {"--args", "WORD...", "for a program with a main() of its own; the last",
     nullptr},
    {"--help", "", "show this", raise<&Options::help>},
});

const Option& option_called(const std::string& name) {
  std::vector<std::string> known;
  for (const Option& option : kOptions) {
    if (name == option.name) return option;
    known.emplace_back(option.name);
  }
  const std::string guess = nearest(name, known);
  throw InputError(fmt::format("unknown option '{}'", name),
                   guess.empty() ? "'--help' shows what there is"
                                 : fmt::format("did you mean '{}'?", guess));
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("--")) {
      throw InputError(fmt::format("'{}' is no option", word),
                       "'--help' shows what there is");
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option& option = option_called(name);
    if (option.set == nullptr) {  // --args: all the rest
      options.program_arguments.assign(
          arguments.begin() + 1 + static_cast<std::ptrdiff_t>(i),
          arguments.end());
      break;
    }
    const bool takes_value = *option.value != '\0';
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
      if (!takes_value) {
        throw InputError(fmt::format("{} takes no value", name));
      }
    } else if (takes_value) {
      if (i + 1 == arguments.size()) {
        throw InputError(fmt::format("{} needs a {}", name, option.value));
      }
      value = arguments[++i];
    }
    option.set(options, name, value);
  }
  note_time_limit(options.whole_seconds(), options.end());
  return options;
}

std::string options_help() {
  std::string out;
  for (const Option& option : kOptions) {
    out += fmt::format("  {:<24} {}\n",
                       fmt::format("{} {}", option.name, option.value),
                       option.help);
  }
  return out;
}

Settings Options::over(const Settings& of_test) const {
  Settings out = of_test;
  for (const auto& [name, value] : settings) out.set(name, value);
  return out;
}

Budget::Clock::time_point Options::end(std::chrono::milliseconds grace) const {
  constexpr double kYear = 365.0 * 24 * 3600;  // longer is no limit
  if (time_limit.empty() || parse_seconds(time_limit) >= kYear) {
    return Budget::Clock::time_point::max();
  }
  return begin + grace +
         std::chrono::duration_cast<Budget::Clock::duration>(
             std::chrono::duration<double>(parse_seconds(time_limit)));
}

double Options::whole_seconds() const {
  const std::string& limit =
      whole_time_limit.empty() ? time_limit : whole_time_limit;
  return limit.empty() ? 0 : parse_seconds(limit);
}

Budget Options::budget_until(Budget::Clock::time_point moment) const {
  if (!memory_limit.empty()) return Budget(moment, parse_bytes(memory_limit));
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return Budget(moment, pages * page / 4 * 3);
}

unsigned Options::workers() const {
  return jobs > 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

bool Options::color() const {
  const char* const unwanted = std::getenv("NO_COLOR");
  if (force_color) return true;
  return !no_color && (unwanted == nullptr || *unwanted == '\0') &&
         isatty(STDOUT_FILENO) != 0;
}

std::string Options::to_repeat() const {
  std::string out;
  for (const auto& [name, value] : settings) {
    // A schedule tells its heap; it is found by no search.
    if (name == "heap" || name == "search" || name == "executions" ||
        name == "preemptions") {
      continue;
    }
    out += fmt::format(" --{} {}", name, value);
  }
  if (programs != Options().programs) {
    out += fmt::format(" --programs {}", programs);
  }
  return out;
}

}  // namespace plumb::harness
