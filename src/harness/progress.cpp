// SPDX-License-Identifier: Apache-2.0
#include "harness/progress.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "harness/explore.h"

namespace plumb::harness {

namespace {

// What the handler looks at.
struct Shown {
  std::array<char, 64> name{};
  std::size_t programs = 0;
  std::uint64_t executions_before = 0;
  // In quarters of a second: the clock of an execution stands still.
  std::uint64_t elapsed = 0;
};
Shown shown;
std::atomic<std::size_t> programs_done = 0;
std::atomic<std::size_t> histories_seen = 0;
std::atomic<bool> on_screen = false;

void draw(int) {
  const int error = errno;
  const double seconds = 0.25 * static_cast<double>(shown.elapsed++);
  const auto executions =
      static_cast<double>(executions_so_far.load() - shown.executions_before);
  std::array<char, 200> line;
  const auto end = fmt::format_to_n(
      line.data(), line.size(),
      "\r\033[K{}: {} of {} programs (this one: about {:.0f} %), {:.3g} "
      "executions, {:.3g}/s, {} histories, {:.0f} s",
      shown.name.data(), programs_done.load(), shown.programs,
      100 * share_done.load(), executions, executions / seconds,
      histories_seen.load(), seconds);
  const auto size = static_cast<std::size_t>(end.out - line.data());
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), size);
  on_screen = true;
  errno = error;
}

void set_timer(long first_us, long then_us) {
  const itimerval timer = {{0, then_us},
                           {first_us / 1'000'000, first_us % 1'000'000}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

Progress::Progress(const std::string& name, std::size_t programs) {
  programs_done = 0;
  histories_seen = 0;
  if (isatty(STDERR_FILENO) == 0) return;
  is_on_ = true;
  shown.name.fill('\0');
  name.copy(shown.name.data(), shown.name.size() - 1);
  shown.programs = programs;
  shown.executions_before = executions_so_far.load();
  shown.elapsed = 4;
  struct sigaction action {};
  action.sa_handler = draw;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  set_timer(1'000'000, 250'000);
}

Progress::~Progress() {
  if (!is_on_) return;
  set_timer(0, 0);
  std::signal(SIGALRM, SIG_DFL);
  if (on_screen.exchange(false)) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, "\r\033[K", 4);
  }
}

void finished_one_program() {
  ++programs_done;
}
void show_histories(std::size_t histories) {
  histories_seen = histories;
}

}  // namespace plumb::harness
