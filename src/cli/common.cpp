// SPDX-License-Identifier: Apache-2.0
#include "cli/common.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "base/quantities.h"
#include "base/terminal_text.h"
#include "base/time_limit.h"

namespace plumb::cli {

ExitStatus worse(ExitStatus a, ExitStatus b) {
  constexpr std::array kFromWorst = {kExitInterrupted, kExitBadInput,
                                     kExitViolated, kExitUnknown};
  for (const ExitStatus status : kFromWorst) {
    if (a == status || b == status) return status;
  }
  return kExitHolds;
}

ExitStatus status_of(check::Answer answer) {
  switch (answer) {
    case check::Answer::kHolds:
      return kExitHolds;
    case check::Answer::kViolated:
      return kExitViolated;
    case check::Answer::kUnknown:
      return kExitUnknown;
  }
  return kExitUnknown;
}

std::string in_quotes(std::string_view word) {
  return shell_quoted(word);
}

std::string file_in_quotes(const std::string& name) {
  return shell_quoted(name.starts_with('-') ? "./" + name : name);
}

void CommonOptions::add_to(CLI::App& command) {
  outputs.add_to(command);
  command
      .add_option("--time-limit", time_limit,
                  "answer 'unknown' after this long: 60s, 5m, 500ms")
      ->type_name("TIME");
  command
      .add_option("--memory-limit", memory_limit,
                  "use no more memory than this: 4G, 500M (default: three "
                  "quarters of the machine's)")
      ->type_name("SIZE");
  command.add_option("--jobs", jobs, "work on this many cores (default: all)")
      ->type_name("N");
  command
      .add_option("--seed", seed,
                  "for random choices; no verdict depends on it")
      ->type_name("N");
  command.add_flag("--quiet", quiet,
                   "no text, only the exit status and "
                   "--json");
  command.add_flag("--no-color", no_color,
                   "no colours (NO_COLOR does the "
                   "same)");
}

Budget::Clock::time_point CommonOptions::deadline() const {
  // Longer than a year is as good as no limit.
  constexpr double kYear = 365.0 * 24 * 3600;
  const double seconds = time_limit.empty() ? kYear : parse_seconds(time_limit);
  if (seconds >= kYear) return Budget::Clock::time_point::max();
  const auto deadline = Budget::Clock::now() +
                        std::chrono::duration_cast<Budget::Clock::duration>(
                            std::chrono::duration<double>(seconds));
  note_time_limit(seconds, deadline);
  return deadline;
}

Budget CommonOptions::budget() const {
  return Budget(deadline(), memory_bytes());
}

std::size_t CommonOptions::memory_bytes() const {
  if (!memory_limit.empty()) return parse_bytes(memory_limit);
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return pages * page / 4 * 3;
}

unsigned CommonOptions::worker_count() const {
  if (jobs > 0) return std::min(jobs, 1024u);
  return std::max(1u, std::thread::hardware_concurrency());
}

bool CommonOptions::color() const {
  const char* unwanted = std::getenv("NO_COLOR");
  return !no_color && (unwanted == nullptr || *unwanted == '\0') &&
         isatty(STDOUT_FILENO) != 0;
}

}  // namespace plumb::cli
