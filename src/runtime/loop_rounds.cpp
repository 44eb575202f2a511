// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_rounds.h"

#include "runtime/fibers.h"

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

void note_unseen() {
  ++here().loops.unseen;
}
void note_seen(std::uint64_t value) {
  here().loops.past = mix(here().loops.past, value);
  note_given(value);
}
void note_given(std::uint64_t value) {
  here().loops.observed = mix(here().loops.observed, value);
}
void anchor(ThreadId thread, std::uint64_t where) {
  state.fibers[thread].loops.observed = where;
  if (fails_after_anchors) state.fibers[thread].spurious[0] = 0;
}
void note_blind() {
  here().loops.is_blind = true;
}

}  // namespace plumb::runtime
