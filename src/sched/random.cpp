// SPDX-License-Identifier: Apache-2.0
#include "sched/random.h"

#include <algorithm>

namespace plumb::sched {

namespace {

// Those that do not ask to be passed over, if there are any.
ThreadMask eager(const Situation& situation) {
  const ThreadMask others = situation.enabled & ~situation.yielding;
  return others != 0 ? others : situation.enabled;
}

}  // namespace

ThreadId RandomWalk::pick(const Situation& situation) {
  const ThreadMask mask = eager(situation);
  const std::uint32_t able = count(mask);
  return nth(mask, able == 1 ? 0 : dice_.below(able));
}

bool Pct::start_run() {
  length_ = std::max(length_, static_cast<std::uint32_t>(steps().size()));
  Recorded::start_run();
  // High priorities are random and above all low ones.
  for (std::uint32_t& priority : priority_) {
    priority = kMaxThreads + dice_.below(1u << 20);
  }
  changes_.clear();
  for (std::uint32_t i = 1; i < depth_; ++i) {
    changes_.push_back(dice_.below(length_));
  }
  return true;
}

ThreadId Pct::pick(const Situation& situation) {
  const auto now = static_cast<std::uint32_t>(steps().size());
  const auto highest = [&](ThreadMask mask) {
    ThreadId best = nth(mask, 0);
    for (; mask != 0; mask &= mask - 1) {
      const ThreadId other = nth(mask, 0);
      if (priority_[other] > priority_[best]) best = other;
    }
    return best;
  };
  ThreadId best = highest(eager(situation));
  for (std::uint32_t i = 0; i < changes_.size(); ++i) {
    if (changes_[i] != now) continue;
    priority_[best] = i;
    best = highest(eager(situation));
  }
  return best;
}

ThreadId Replay::pick(const Situation& situation) {
  const std::size_t now = steps().size();
  if (now < told_.size()) {
    const bool anybody = told_[now].thread == kNoThread;
    const ThreadId thread = anybody ? situation.current : told_[now].thread;
    const bool known = thread < kMaxThreads;
    if (known && (situation.enabled & bit(thread))) return thread;
    strayed_ = true;
  }
  able_ |= situation.enabled;
  if (quiet_ >= kSpinning) {
    const ThreadMask behind =
        situation.enabled & ~(bit(situation.current) * 2 - 1);
    return nth(behind != 0 ? behind : situation.enabled, 0);
  }
  if (situation.enabled & bit(situation.current)) return situation.current;
  return nth(situation.enabled, 0);
}

void Replay::saw(const Event& event) {
  Recorded::saw(event);
  const bool is_access = event.kind == Kind::kRead ||
                         event.kind == Kind::kWrite ||
                         event.kind == Kind::kUpdate;
  const bool is_idle = event.kind == Kind::kFence || event.kind == Kind::kYield;
  if (is_idle || (is_access && (!event.writes || event.is_silent))) {
    ++quiet_;
    took_part_ |= bit(event.thread);
  } else {
    note_change();
  }
}

bool Replay::fails(ThreadId) {
  const std::size_t now = steps().size();
  return now < told_.size() && told_[now].is_choice && told_[now].choice != 0;
}

std::uint32_t Replay::choose(ThreadId, std::uint32_t bound) {
  const std::size_t now = steps().size();
  if (now >= told_.size()) return 0;
  if (!told_[now].is_choice || told_[now].choice >= bound) {
    strayed_ = true;
    return 0;
  }
  return told_[now].choice;
}

}  // namespace plumb::sched
