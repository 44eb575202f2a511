// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_rounds.h"

#include <algorithm>

namespace plumb::runtime {

namespace {

bool was_here(const LoopLog& log, const Event& event, std::uint32_t distance) {
  const LoopStep& step = log.steps[log.count - distance];
  return step.site == event.site && step.stack == log.entry.stack_pointer();
}

// In the last `distance` steps, as in as many before.
bool did_the_same(const LoopLog& log, std::uint32_t distance) {
  for (std::uint32_t back = 1; back <= distance; ++back) {
    const LoopStep& late = log.steps[log.count - back];
    const LoopStep& early = log.steps[log.count - back - distance];
    if (late.site != early.site || late.address != early.address ||
        late.value != early.value || late.kind != early.kind) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::uint32_t distance_back(const LoopLog& log, const Event& event) {
  std::uint32_t nearest = log.count + 1;
  for (std::uint32_t distance = 1; distance <= log.count; ++distance) {
    if (!was_here(log, event, distance)) continue;
    if (log.steps[log.count - distance].address == event.address) {
      return distance;
    }
    nearest = std::min(nearest, distance);
  }
  return nearest;
}

std::uint32_t round_before(const LoopLog& log, const Event& event,
                           std::uint32_t distance) {
  while (2 * ++distance <= log.count) {
    if (was_here(log, event, distance) && did_the_same(log, distance)) {
      return distance;
    }
  }
  return 0;
}

}  // namespace plumb::runtime
