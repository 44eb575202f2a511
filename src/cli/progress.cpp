// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/budget.h"
#include "base/threads.h"

namespace plumb::cli {

Progress::Progress(std::size_t count, const char* noun, const char* unit)
    : count_(count), noun_(noun), unit_(unit) {
  if (isatty(STDERR_FILENO) != 0) start_thread(threads_, [this] { loop(); });
}

void Progress::loop() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  auto wait = std::chrono::milliseconds(1000);
  while (!stopping_.wait_for(lock, wait, [this] { return stopped_; })) {
    draw(std::chrono::duration<double>(Clock::now() - start).count());
    wait = std::chrono::milliseconds(250);
  }
}

void Progress::draw(double seconds) {
  const double steps = static_cast<double>(Budget::steps_of_all.load());
  fmt::print(stderr,
             "\r\033[K{} of {} {}, {:.3g} {}, {:.3g}/s, {} MiB, "
             "{:.0f} s",
             finished_.load(), count_, noun_, steps, unit_, steps / seconds,
             resident_bytes() >> 20, seconds);
  std::fflush(stderr);
  on_screen_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (on_screen_) fmt::print(stderr, "\r\033[K");
  on_screen_ = false;
}

void Progress::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stopping_.notify_all();
  threads_.clear();  // joins them
  clear();
}

}  // namespace plumb::cli
