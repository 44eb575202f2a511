// SPDX-License-Identifier: Apache-2.0
#include "sched/bounded.h"

namespace plumb::sched {

bool Bounded::start_run() {
  Recorded::start_run();
  at_ = 0;
  spent_ = 0;
  if (!started_) {
    started_ = true;
    return true;
  }
  for (;;) {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) {
      path_.pop_back();
    }
    if (!path_.empty()) {
      ++path_.back().taken;
      return true;
    }
    if (!wanted_more_ || bound_ == most_) return false;
    ++bound_;
    wanted_more_ = false;
    return true;
  }
}

bool Bounded::repeat_run() {
  at_ = 0;
  spent_ = 0;
  return Recorded::start_run();
}

std::uint32_t Bounded::decide(std::uint32_t count) {
  if (at_ == path_.size()) path_.push_back({0, count, spent_});
  return path_[at_++].taken;
}

// Going on comes first; what is next in number after that, so that the same
// choice means the same thread in every run.
ThreadId Bounded::pick(const Situation& situation) {
  const ThreadMask self = bit(situation.current);
  const bool can_go_on =
      (situation.enabled & self) && !(situation.yielding & self);
  ThreadMask others = situation.enabled & ~self;
  if (!can_go_on) {
    const ThreadMask keen = others & ~situation.yielding;
    if (keen != 0) others = keen;
    if (others == 0) return situation.current;
    const bool could_stay =
        (situation.enabled & self) || others != (situation.enabled & ~self);
    auto count = static_cast<std::uint32_t>(__builtin_popcount(others));
    if (!could_stay) return nth(others, count == 1 ? 0 : decide(count));
    // Not to give way to others costs as much as a preemption.
    const ThreadMask lazy = situation.enabled & ~others;
    if (spent_ >= bound_) {
      wanted_more_ = true;
      return nth(others, count == 1 ? 0 : decide(count));
    }
    const auto more = static_cast<std::uint32_t>(__builtin_popcount(lazy));
    const std::uint32_t taken = decide(count + more);
    if (taken < count) return nth(others, taken);
    ++spent_;
    return nth(lazy, taken - count);
  }
  if (others == 0) return situation.current;
  if (spent_ >= bound_) {
    wanted_more_ = true;
    return situation.current;
  }
  const auto count = static_cast<std::uint32_t>(__builtin_popcount(others));
  const std::uint32_t taken = decide(count + 1);
  if (taken == 0) return situation.current;
  ++spent_;
  return nth(others, taken - 1);
}

std::uint32_t Bounded::choose(ThreadId, std::uint32_t bound) {
  return bound == 1 ? 0 : decide(bound);
}

}  // namespace plumb::sched
