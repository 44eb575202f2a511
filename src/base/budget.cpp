// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/memory_relief.h"
#include "base/samples.h"
#include "base/time_limit.h"

namespace plumb {

std::atomic<bool> Budget::interrupted = false;
std::atomic<int> Budget::saving = 0;
std::atomic<std::uint64_t> Budget::steps_of_all = 0;

namespace {

// So many that looking does not show in a profile, and fewer where steps are
// slow: within some milliseconds.
constexpr std::int32_t kMostBetweenLooks = 1024;
constexpr std::chrono::microseconds kOften{500}, kRarely{4000};

std::atomic<void (*)()> memory_relief = nullptr;

bool is_short_of(std::size_t limit) {
  const std::size_t distance = distance_to(limit);
  if (resident_bytes() <= limit - distance) return false;
  void (*const relief)() = memory_relief;
  if (relief == nullptr) return true;
  relief();
  return resident_bytes() > limit - distance / 2;
}

}  // namespace

void set_memory_relief(void (*relief)()) {
  memory_relief = relief;
}

Budget Budget::with_steps(std::uint64_t steps) const {
  Budget part = *this;
  part.steps_ = std::min(steps_, steps);
  part.until_look_ = 1;
  return part;
}

Budget Budget::without_steps() const {
  Budget whole = *this;
  whole.steps_ = UINT64_MAX;
  whole.until_look_ = 1;
  if (whole.limit_ == Limit::kSteps) whole.limit_ = Limit::kNone;
  return whole;
}

// By how long it was since the last look.
void Budget::pace() {
  const auto now = Clock::now();
  const auto taken = now - std::exchange(last_look_, now);
  if (taken < kOften) {
    between_looks_ = std::min(2 * between_looks_, kMostBetweenLooks);
  } else if (taken > kRarely) {
    between_looks_ = std::max(between_looks_ / 8, 1);
  }
}

bool Budget::look() {
  until_look_ = 1;  // stay alert once spent
  if (limit_ != Limit::kNone) return true;
  if (!is_deaf_ && interrupted.load(std::memory_order_relaxed)) {
    limit_ = Limit::kInterrupt;
  } else if (steps_ == 0) {
    limit_ = Limit::kSteps;
  } else if (Clock::now() >= deadline_) {
    limit_ = Limit::kTime;
  } else if (memory_bytes_ != SIZE_MAX && is_short_of(memory_bytes_)) {
    limit_ = Limit::kMemory;
  }
  if (limit_ != Limit::kNone) return true;
  pace();
  until_look_ = static_cast<std::int32_t>(std::min<std::uint64_t>(
      static_cast<std::uint64_t>(between_looks_), steps_));
  steps_of_all.fetch_add(static_cast<std::uint64_t>(until_look_),
                         std::memory_order_relaxed);
  Samples::begin_steps(static_cast<std::uint64_t>(until_look_));
  if (steps_ != UINT64_MAX) steps_ -= static_cast<std::uint64_t>(until_look_);
  return false;
}

namespace {

struct WholeLimit {
  std::mutex mutex;
  double seconds = 0;
  Budget::Clock::time_point deadline = Budget::Clock::time_point::max();
};

WholeLimit& whole_limit() {
  static WholeLimit limit;
  return limit;
}

std::string describe_time(Budget::Clock::time_point deadline,
                          std::chrono::duration<double> span) {
  const double own = std::max(0.0, span.count());
  WholeLimit& whole = whole_limit();
  const std::lock_guard lock(whole.mutex);
  if (whole.deadline == Budget::Clock::time_point::max()) {
    return fmt::format("the time limit of {:.3g} s was reached", own);
  }
  if (deadline >= whole.deadline) {
    return fmt::format("the time limit of {:.3g} s was reached", whole.seconds);
  }
  return fmt::format(
      "its share of the time limit of {:.3g} s, {:.3g} s, was used up",
      whole.seconds, own);
}

}  // namespace

void note_time_limit(double seconds, Budget::Clock::time_point deadline) {
  WholeLimit& whole = whole_limit();
  const std::lock_guard lock(whole.mutex);
  if (deadline >= whole.deadline) return;
  whole.seconds = seconds;
  whole.deadline = deadline;
}

std::string Budget::describe_limit() const {
  switch (limit_) {
    case Limit::kNone:
      return "";
    case Limit::kInterrupt:
      return "interrupted";
    case Limit::kSteps:
      return "the limit on search steps was reached";
    case Limit::kTime:
      return describe_time(deadline_,
                           std::chrono::duration<double>(deadline_ - start_));
    case Limit::kMemory:
      return fmt::format("the memory limit of {} MiB was reached",
                         memory_bytes_ >> 20);
  }
  return "";
}

std::size_t distance_to(std::size_t limit) {
  return std::min(limit / 8, limit / 32 + (std::size_t{4} << 20));
}

// Without allocating: those who allocate ask.
std::size_t resident_bytes() {
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char text[128] = {};
  if (pread(file, text, sizeof text - 1, 0) <= 0) return 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // the address space
  return std::strtoull(rest, nullptr, 10) * page;
}

std::size_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace plumb
