// SPDX-License-Identifier: Apache-2.0
#include "harness/loop_past.h"

#include <algorithm>

#include "runtime/fibers.h"

namespace plumb::harness {

namespace {

using runtime::LoopLog;
using runtime::LoopStep;
using sched::Event;
using sched::Kind;
using sched::ThreadId;

bool happens_directly_before(std::span<const Event> events, std::size_t a,
                             std::size_t b) {
  const Event& one = events[a];
  const Event& other = events[b];
  return a < other.after || sched::dependent(one, other) ||
         (one.kind == Kind::kSpawn && one.address == other.thread) ||
         (other.kind == Kind::kJoin && other.address == one.thread);
}

// In all that hashes and happens_directly_before() look at?
bool are_alike(const Event& a, const Event& b) {
  return a.address == b.address && a.second == b.second && a.size == b.size &&
         a.second_size == b.second_size && a.choice == b.choice &&
         a.after == b.after && a.thread == b.thread && a.kind == b.kind &&
         a.writes == b.writes && a.tries == b.tries && a.site == b.site &&
         a.seen == b.seen;
}

// Does it leave something behind that others can notice?
bool leaves_something(Kind kind, bool writes) {
  return writes || (kind != Kind::kRead && kind != Kind::kYield &&
                    kind != Kind::kFence && kind != Kind::kChoose);
}

}  // namespace

Part part_of_others(std::span<const Event> events, const LoopLog& log,
                    ThreadId thread, Window window) {
  // What the thread left, by its number among the events: mostly nothing.
  static std::vector<std::uint32_t> left;
  left.clear();
  for (std::uint32_t i = window.first; i < window.to; ++i) {
    const LoopStep& step = log.steps[i];
    if (leaves_something(step.kind, step.writes)) left.push_back(step.number);
  }
  if (left.empty()) return Part::kNone;
  // Events of others that follow what the thread wrote, and nothing else.
  static std::vector<std::uint32_t> followers;
  followers.clear();
  const auto follows = [&](std::uint32_t n) {
    for (const std::uint32_t number : left) {
      if (number > n) break;
      if (sched::dependent(events[number], events[n])) return true;
    }
    return std::any_of(followers.begin(), followers.end(),
                       [&](std::uint32_t other) {
                         return happens_directly_before(events, other, n);
                       });
  };
  const auto size = static_cast<std::uint32_t>(events.size());
  for (std::uint32_t n = left.front() + 1; n < size; ++n) {
    if (events[n].thread != thread) {
      if (follows(n)) followers.push_back(n);
      continue;
    }
    for (const std::uint32_t other : followers) {
      if (happens_directly_before(events, other, n)) return Part::kFollowed;
    }
  }
  return followers.empty() ? Part::kNone : Part::kAfter;
}

std::vector<bool> past_of(ThreadId thread, std::span<const Event> events) {
  std::vector<bool> is_past(events.size());
  std::size_t last = events.size();
  while (last > 0 && events[last - 1].thread != thread) --last;
  if (last > 0) is_past[last - 1] = true;
  for (std::size_t b = last; b-- > 0;) {
    if (!is_past[b]) continue;
    for (std::size_t a = 0; a < b; ++a) {
      if (!is_past[a] && happens_directly_before(events, a, b)) {
        is_past[a] = true;
      }
    }
  }
  return is_past;
}

std::uint64_t PastHashes::of(ThreadId thread, std::span<const Event> events) {
  using runtime::mix;
  std::size_t same = 0;
  while (same < known_.size() && same < events.size() &&
         are_alike(known_[same].event, events[same])) {
    ++same;
  }
  known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(same),
               known_.end());
  for (std::size_t b = same; b < events.size(); ++b) {
    const Event& event = events[b];
    std::uint64_t before = 0;
    for (std::size_t a = 0; a < b; ++a) {
      if (happens_directly_before(events, a, b)) before += known_[a].hash;
    }
    known_.push_back(
        {event, mix(mix(event.site ^ event.address, event.seen),
                    mix(before, event.thread + 64u * event.choice))});
  }
  for (std::size_t b = known_.size(); b-- > 0;) {
    if (known_[b].event.thread == thread) return known_[b].hash;
  }
  return 0;
}

}  // namespace plumb::harness
