// SPDX-License-Identifier: Apache-2.0
#include "sched/states.h"

#include <algorithm>
#include <cassert>

namespace plumb::sched {

namespace {

// A thread that has done so much in a row may be waiting for another one.
constexpr std::size_t kLongRun = 200;

bool same(const Event& a, const Event& b) {
  return a.thread == b.thread && a.kind == b.kind && a.address == b.address &&
         a.size == b.size && a.writes == b.writes;
}

}  // namespace

States::Node& States::node(std::size_t depth) {
  if (nodes_.size() <= depth) nodes_.resize(depth * 2 + 16);
  return nodes_[depth];
}

// All places up to here can come to an end.
void States::reach_end(std::size_t places) {
  while (places-- > 0 && !nodes_[places].reaches_end) {
    nodes_[places].reaches_end = true;
  }
}

std::uint32_t States::group_of(std::uint32_t group) {
  while (groups_[group].joined != group) {
    groups_[group].joined = groups_[groups_[group].joined].joined;
    group = groups_[group].joined;
  }
  return group;
}

// Of states that reach this place.
std::uint32_t States::group_at(std::uint32_t depth) {
  std::uint32_t& group = nodes_[depth].group;
  if (group == 0) {
    group = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({group, depth, false});
  }
  return group_of(group);
}

// This place reaches a state of that group.
void States::reach(std::uint32_t depth, std::uint32_t group) {
  bool is_end = group == 0;
  std::uint32_t first = group & ~kOnPath;
  if (!is_end && !(group & kOnPath)) {
    const Group& its = groups_[group_of(group)];
    is_end = its.reaches_end;
    first = its.place;
  }
  if (is_end) {
    reach_end(depth + std::size_t{1});
  } else {
    has_cycle_ = true;
    nodes_[depth].low = std::min(nodes_[depth].low, first);
  }
}

// What is asleep may be the only way to an end.
bool States::wake(Node& place) {
  if (place.reaches_end || place.slept == 0 || !has_cycle_) return false;
  place.todo = place.slept;
  if (place.is_kept) shard_of(place.state)[place.state].sleep &= ~place.slept;
  std::erase_if(place.sleep, [&](const Explored& one) {
    return (place.slept & bit(one.event.thread)) != 0;
  });
  place.slept = 0;
  return true;
}

// All was explored from this place, the last one of the path.
void States::leave(std::uint32_t depth) {
  Node& place = nodes_[depth];
  std::uint32_t group = 0;
  if (!has_cycle_) reach_end(depth + std::size_t{1});
  if (place.reaches_end) {
    if (place.group != 0) groups_[group_of(place.group)].reaches_end = true;
  } else if (place.low >= depth) {
    has_no_way_out_ = true;
  } else {
    group = group_at(place.low);
    if (place.group != 0) groups_[group_of(place.group)].joined = group;
    nodes_[depth - 1].low = std::min(nodes_[depth - 1].low, place.low);
  }
  if (place.is_kept) shard_of(place.state)[place.state].group = group;
  place.is_kept = false;
}

// What was explored last from this place is done; is there something else?
bool States::next_branch(Node& place) {
  if (place.choice + 1u < place.bound) {
    ++place.choice;
    return true;
  }
  // One of its outcomes wrote, if it touches memory.
  place.now.event.writes |= place.bound > 1;
  place.sleep.push_back(place.now);
  if (place.todo == 0 && !wake(place)) return false;
  take(place, kNoThread);
  return true;
}

bool States::start_run() {
  depth_ = run_length_ = 0;
  diverged_ = went_wrong_ = is_asked_ = false;
  if (!started_) {
    started_ = true;
    return true;
  }
  while (explored_ > 0) {
    Node& place = nodes_[explored_ - 1];
    if (next_branch(place)) {
      replayed_ = explored_ - 1;
      trace_.truncate(replayed_);
      return true;
    }
    leave(static_cast<std::uint32_t>(explored_ - 1));
    --explored_;
  }
  return false;
}

bool States::repeat_run() {
  // What was explored is still to be: only its events are known.
  replayed_ = std::min(trace_.size(), explored_);
  trace_.truncate(replayed_);
  depth_ = run_length_ = 0;
  went_wrong_ = is_asked_ = false;
  return true;
}

ThreadId States::take(Node& place, ThreadId wanted) {
  const ThreadId thread =
      wanted != kNoThread && (place.todo & bit(wanted))
          ? wanted
          : static_cast<ThreadId>(__builtin_ctz(place.todo));
  place.todo &= ~bit(thread);
  place.now = Explored{};
  place.now.event.thread = thread;
  place.choice = 0;
  place.bound = 1;
  return thread;
}

// Asleep in the last place, and what came then does not depend on it.
void States::inherit_sleep(Node& place) {
  place.sleep.clear();
  if (explored_ == 0) return;
  const Node& last = nodes_[explored_ - 1];
  for (const Explored& asleep : last.sleep) {
    if (!depend(asleep, last.now)) place.sleep.push_back(asleep);
  }
}

// Enters the state of a place, and finds out what is to be explored from it.
void States::meet(Node& place, ThreadMask enabled) {
  ThreadMask asleep = 0;
  for (const Explored& one : place.sleep) asleep |= bit(one.event.thread);
  asleep &= enabled;
  place.todo = enabled & ~asleep;
  place.slept = asleep;
  const auto depth = static_cast<std::uint32_t>(explored_);
  const auto [entry, is_new] =
      shard_of(place.state)
          .try_emplace(place.state, Kept{asleep, kOnPath | depth});
  Kept& kept = entry->second;
  states_ += is_new;
  place.is_kept = is_new;
  if (is_new) {
    if (place.todo == 0 && !wake(place)) kept.group = 0;
    return;
  }
  place.todo &= kept.sleep;
  kept.sleep &= asleep;
  place.slept = kept.sleep;
  std::erase_if(place.sleep, [&](const Explored& one) {
    return (kept.sleep & bit(one.event.thread)) == 0;
  });
  if (place.todo == 0) {
    if (explored_ > 0) reach(depth - 1, kept.group);
    return;
  }
  reach(depth, kept.group);
  if (kept.group & kOnPath) return;  // and so it is there twice
  place.is_kept = true;
  kept.group = kOnPath | depth;
}

// The execution shows what it shows: it only has to come to an end.
ThreadId States::go_on_anyhow(const Situation& situation) {
  ThreadMask able = situation.enabled & ~situation.yielding;
  if (able == 0) able = situation.enabled;
  if ((able & bit(situation.current)) && run_length_ < kLongRun) {
    return situation.current;
  }
  const ThreadMask later = able & ~(bit(situation.current) * 2 - 1);
  return static_cast<ThreadId>(__builtin_ctz(later != 0 ? later : able));
}

ThreadId States::pick(const Situation& situation) {
  if (depth_ < explored_) {
    const ThreadId thread = nodes_[depth_].now.event.thread;
    if (situation.enabled & bit(thread)) return thread;
    diverged_ = true;
    return kNoThread;
  }
  if (went_wrong_) return go_on_anyhow(situation);
  Node& place = node(explored_);
  place.is_kept = place.reaches_end = false;
  place.low = static_cast<std::uint32_t>(explored_);
  place.group = place.slept = 0;
  const StateWatch::View view = watch_.look(depth_);
  if (explored_ > 0) nodes_[explored_ - 1].now.returns |= view.returned;
  switch (view.what) {
    case StateWatch::What::kAsk:
      is_asked_ = true;
      return kNoThread;
    case StateWatch::What::kStop:
      is_stopped_ = true;
      return kNoThread;
    case StateWatch::What::kWrong:
      went_wrong_ = true;
      return go_on_anyhow(situation);
    case StateWatch::What::kNone:
      inherit_sleep(place);
      place.todo = situation.enabled;
      for (const Explored& one : place.sleep) {
        place.todo &= ~bit(one.event.thread);
      }
      break;
    case StateWatch::What::kState:
      inherit_sleep(place);
      place.state = view.state;
      meet(place, situation.enabled);
      break;
  }
  if (place.todo == 0) return kNoThread;
  ++explored_;
  return take(place, situation.current);
}

std::uint32_t States::choose(ThreadId, std::uint32_t bound) {
  if (depth_ >= explored_) return 0;
  Node& place = nodes_[depth_];
  if (depth_ >= replayed_) place.bound = std::min<std::uint32_t>(bound, 64);
  return place.choice;
}

void States::saw(const Event& event) {
  if (depth_ < replayed_) {
    diverged_ |= !same(event, trace_[depth_]);
  } else {
    ++transitions_;
    run_length_ = depth_ > 0 && trace_[depth_ - 1].thread == event.thread
                      ? run_length_ + 1
                      : 0;
    trace_.add(event);
    if (depth_ < explored_) {
      Explored& now = nodes_[depth_].now;
      const bool returns = now.returns;  // with another outcome
      now = {event, watch_.invokes(event), returns};
    }
  }
  ++depth_;
}

// Nobody was asked whether a call has returned after the last event: it may.
void States::end_run(RunEnd end, ThreadMask, const Event*) {
  diverged_ |= depth_ < replayed_;
  if (end != RunEnd::kAbandoned) reach_end(explored_);
  if (explored_ > 0) nodes_[explored_ - 1].now.returns = true;
}

}  // namespace plumb::sched
