// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/memory_relief.h"
#include "base/samples.h"

namespace plumb {

std::atomic<bool> Budget::interrupted = false;
std::atomic<int> Budget::saving = 0;
std::atomic<std::uint64_t> Budget::steps_of_all = 0;

namespace {

// Small enough to stop within a millisecond or so, large enough that looking
// does not show in a profile.
constexpr std::int32_t kStepsBetweenLooks = 1024;

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
  until_look_ = static_cast<std::int32_t>(
      std::min<std::uint64_t>(kStepsBetweenLooks, steps_));
  steps_of_all.fetch_add(static_cast<std::uint64_t>(until_look_),
                         std::memory_order_relaxed);
  Samples::begin_steps(static_cast<std::uint64_t>(until_look_));
  if (steps_ != UINT64_MAX) steps_ -= static_cast<std::uint64_t>(until_look_);
  return false;
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
      return fmt::format(
          "the time limit of {:.3g} s was reached",
          std::max(0.0,
                   std::chrono::duration<double>(deadline_ - start_).count()));
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
