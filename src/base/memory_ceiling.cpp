// SPDX-License-Identifier: Apache-2.0
#include "base/memory_ceiling.h"

#include <fmt/format.h>
#include <malloc.h>

#include "base/budget.h"

namespace plumb {

std::atomic<std::size_t> MemoryCeiling::limit_ = SIZE_MAX;
std::atomic<bool> MemoryCeiling::was_reached_ = false;
constinit thread_local int MemoryCeiling::guarded_ = 0;

bool MemoryCeiling::asks(std::size_t bytes) {
  const std::size_t limit = limit_.load(std::memory_order_relaxed);
  const std::size_t most = limit - distance_to(limit);
  const auto fits = [&] {
    return bytes <= most && resident_bytes() + bytes <= most;
  };
  if (fits()) return true;
  // What was freed may still be ours.
  malloc_trim(0);
  if (fits()) return true;
  was_reached_ = true;
  return false;
}

std::string MemoryCeiling::why() {
  if (!was_reached_) return "the machine has no more memory";
  return fmt::format("the memory limit of {} MiB was reached", limit_ >> 20);
}

}  // namespace plumb
