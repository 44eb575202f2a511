// SPDX-License-Identifier: Apache-2.0
#include "harness/graph_loops.h"

#include <algorithm>

#include "runtime/core.h"
#include "runtime/fibers.h"

namespace plumb::harness {

using runtime::LoopAnswer;
using runtime::LoopLog;
using runtime::LoopQuestion;
using sched::Event;
using sched::Kind;

GraphLoops::GraphLoops(const sched::GraphScheduler& search) : search_(search) {
#if defined(__x86_64__)
  runtime::loop_guard = this;
#endif
}

GraphLoops::~GraphLoops() {
  runtime::loop_guard = nullptr;
}

// Reads, and updates that wrote what was there.
bool GraphLoops::changes_nothing(const LoopQuestion& question) const {
  const LoopLog& log = runtime::loop_log(question.thread);
  for (std::uint32_t i = question.from; i < question.to; ++i) {
    const Event& event = search_.events()[log.steps[i].number];
    const bool is_idle = event.kind == Kind::kRead ||
                         event.kind == Kind::kFence ||
                         (event.kind == Kind::kUpdate && event.is_silent);
    if (!is_idle) return false;
  }
  const std::uint32_t kept = std::min(log.write_count, runtime::kMaxLoopWrites);
  for (std::uint32_t n = log.write_count - kept; n < log.write_count; ++n) {
    const std::uint32_t step = log.writes[n % runtime::kMaxLoopWrites].step;
    if (step > question.from) return false;
  }
  return true;
}

LoopAnswer GraphLoops::at_repeat(const LoopQuestion& question) {
  if (question.was_left || !changes_nothing(question)) {
    return LoopAnswer::kGoOn;
  }
  auto& seen = seen_[question.thread];
  const auto known =
      std::find_if(seen.begin(), seen.end(), [&](const Seen& one) {
        return one.run == runtime::run_number && one.site == question.next.site;
      });
  runtime::Picture picture;
  take_picture(question.thread, 0, {}, picture);
  // What is in the graph is done: there it was not stopped, since others did
  // something meanwhile.
  if (known != seen.end() && known->position == question.from &&
      !search_.has_more(question.thread) && same(known->picture, picture) &&
      known->picture.time == picture.time) {
    const LoopLog& log = runtime::loop_log(question.thread);
    auto& circle = circle_[question.thread];
    circle.clear();
    const auto& spurious = runtime::state.fibers[question.thread].spurious;
    const bool failed = spurious[0] + spurious[1] != 0;
    will_get_on_ &= ~sched::bit(question.thread);
    if (failed) will_get_on_ |= sched::bit(question.thread);
    for (std::uint32_t i = question.from; i < question.to; ++i) {
      circle.push_back(log.steps[i].number);
    }
    return LoopAnswer::kCut;
  }
  Seen* place = known != seen.end() ? &*known : nullptr;
  if (place == nullptr) {
    std::erase_if(
        seen, [](const Seen& one) { return one.run != runtime::run_number; });
    place = &seen.emplace_back();
  }
  place->run = runtime::run_number;
  place->site = question.next.site;
  place->position = question.to;
  place->picture = std::move(picture);
  return LoopAnswer::kGoOn;
}

bool GraphLoops::is_livelock(sched::ThreadMask cut) const {
  if ((cut & will_get_on_) != 0) return false;
  const sched::ExecutionGraph& graph = search_.graph();
  for (; cut != 0; cut &= cut - 1) {
    for (const std::uint32_t number : circle_[__builtin_ctz(cut)]) {
      const sched::GraphEvent& event = graph[search_.first_of(number)];
      if (event.kind != sched::GraphKind::kRead) continue;
      const sched::EventId latest = graph.latest(event.location);
      const sched::Bytes& now = graph.value_of(event.location, latest);
      if (now != graph.value_read(event)) return false;
      // What is beside memory may have no values: there, others did something.
      const bool is_own = latest.thread == search_.first_of(number).thread;
      if (event.label.is_sync && !is_own) return false;
    }
  }
  return true;
}

}  // namespace plumb::harness
