// SPDX-License-Identifier: Apache-2.0
#include "sched/dpor.h"

#include <algorithm>
#include <cassert>

namespace plumb::sched {

namespace {

constexpr auto kNone = WakeupTrees::kNone;

// A thread that has done so much in a row may be waiting for another one.
constexpr std::size_t kLongRun = 200;

bool same(const Event& a, const Event& b) {
  return a.thread == b.thread && a.kind == b.kind && a.address == b.address &&
         a.size == b.size && a.writes == b.writes;
}

// Word w of the set of events from `first` to `end`, without that.
std::uint64_t events_between(std::size_t first, std::size_t end,
                             std::size_t w) {
  const auto below = [w](std::size_t number) {
    if (number >= 64 * (w + 1)) return ~std::uint64_t{0};
    return number <= 64 * w ? 0 : (std::uint64_t{1} << (number & 63)) - 1;
  };
  return below(end) & ~below(first);
}

// The least event of word w of a set.
std::uint32_t number_of(std::size_t w, std::uint64_t bits) {
  return static_cast<std::uint32_t>(64 * w) +
         static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

}  // namespace

Dpor::Node& Dpor::node(std::size_t depth) {
  if (nodes_.size() <= depth) nodes_.resize(depth * 2 + 16);
  return nodes_[depth];
}

Dpor::Chosen& Dpor::chosen_by(Node& place, ThreadId thread) {
  for (Chosen& chosen : place.chosen) {
    if (chosen.thread == thread) return chosen;
  }
  return place.chosen.emplace_back(Chosen{thread, 0, 0});
}

void Dpor::drop_all(WakeupTrees::Branch branch) {
  while (branch != kNone) {
    drop_all(trees_[branch].first);
    const auto next = trees_[branch].next;
    trees_.drop(branch);
    branch = next;
  }
}

// The branch of the last run at this depth is done; is there another one?
bool Dpor::next_branch(std::size_t depth) {
  Node& place = nodes_[depth];
  const Event& event = trace_[depth];
  const auto done = place.tree;
  place.tree = trees_[done].next;
  trees_.drop(done);
  if (event.outcomes > 1) {
    Chosen& chosen = chosen_by(place, event.thread);
    chosen.outcomes |= std::uint64_t{1} << event.choice;
    for (auto b = place.tree; b != kNone; b = trees_[b].next) {
      if (trees_[b].event.thread == event.thread) return true;
    }
    for (std::uint32_t c = 0; c < chosen.bound; ++c) {
      if (chosen.outcomes >> c & 1) continue;
      Event other = event;
      other.choice = static_cast<std::uint16_t>(c);
      other.writes = true;  // what it will do is not known yet
      const auto branch = trees_.make(other);
      trees_[branch].next = place.tree;
      place.tree = branch;
      return true;
    }
  }
  place.sleep.push_back(event);
  // One of its outcomes wrote, if it touches memory.
  place.sleep.back().writes |= event.outcomes > 1;
  return place.tree != kNone;
}

bool Dpor::start_run() {
  depth_ = 0;
  run_length_ = 0;
  diverged_ = false;
  if (!started_) {
    started_ = true;
    return true;
  }
  for (std::size_t depth = trace_.size(); depth-- > 0;) {
    if (!next_branch(depth)) continue;
    trace_.truncate(depth);
    replayed_ = depth;
    return true;
  }
  return false;
}

ThreadId Dpor::pick(const Situation& situation) {
  if (depth_ < replayed_) {
    const ThreadId thread = trace_[depth_].thread;
    if (situation.enabled & bit(thread)) return thread;
    diverged_ = true;
    return kNoThread;
  }
  Node& place = node(depth_);
  while (place.tree != kNone) {
    const auto branch = place.tree;
    const ThreadId thread = trees_[branch].event.thread;
    if (situation.enabled & bit(thread)) return thread;
    // What reverses the race cannot happen here.  The events before it were
    // real: go on with whatever is possible.
    place.tree = trees_[branch].next;
    drop_all(trees_[branch].first);
    trees_.drop(branch);
  }
  return pick_new(situation);
}

ThreadId Dpor::pick_new(const Situation& situation) {
  ThreadMask able = situation.enabled;
  for (const Event& asleep : nodes_[depth_].sleep) able &= ~bit(asleep.thread);
  if (able == 0) return kNoThread;
  const ThreadMask eager = able & ~situation.yielding;
  if (eager != 0) able = eager;
  if ((able & bit(situation.current)) && run_length_ < kLongRun) {
    return situation.current;
  }
  const ThreadMask later = able & ~(bit(situation.current) * 2 - 1);
  if (later != 0) return static_cast<ThreadId>(__builtin_ctz(later));
  return static_cast<ThreadId>(__builtin_ctz(able));
}

std::uint32_t Dpor::choose(ThreadId thread, std::uint32_t bound) {
  if (depth_ < replayed_) return trace_[depth_].choice;
  Node& place = node(depth_);
  chosen_by(place, thread).bound = std::min<std::uint32_t>(bound, 64);
  if (place.tree != kNone && trees_[place.tree].event.outcomes > 1) {
    return trees_[place.tree].event.choice;
  }
  return 0;
}

void Dpor::enter_next_node(const Event& event) {
  Node& next = node(depth_ + 1);  // may move nodes_
  Node& place = nodes_[depth_];
  if (place.tree == kNone) {
    place.tree = trees_.make(event);
    next.tree = kNone;
  } else {
    trees_[place.tree].event = event;
    next.tree = trees_[place.tree].first;
    trees_[place.tree].first = kNone;
  }
  next.chosen.clear();
  next.sleep.clear();
  for (const Event& asleep : place.sleep) {
    if (!dependent(asleep, event)) next.sleep.push_back(asleep);
  }
}

void Dpor::saw(const Event& event) {
  if (depth_ < replayed_) {
    diverged_ |= !same(event, trace_[depth_]);
  } else {
    run_length_ = depth_ > 0 && trace_[depth_ - 1].thread == event.thread
                      ? run_length_ + 1
                      : 0;
    trace_.add(event);
    enter_next_node(event);
  }
  ++depth_;
}

void Dpor::end_run(RunEnd, ThreadMask waiting, const Event* pending) {
  if (diverged_ || depth_ < trace_.size()) {
    diverged_ = true;
    return;
  }
  trace_.analyse(waiting, pending);
  reverse_races(waiting, pending);
}

void Dpor::reverse_races(ThreadMask, const Event* pending) {
  for (const RacePair& race : trace_.races()) {
    if (race.second < trace_.size()) {
      reverse(race, trace_[race.second]);
    } else {
      reverse(race, pending[race.second - trace_.size()]);
    }
  }
}

void Dpor::reverse(const RacePair& race, const Event& second) {
  const std::size_t words = trace_.words();
  const std::uint64_t* later = trace_.after(race.first);
  members_.resize(words);
  for (std::size_t w = 0; w < words; ++w) {
    members_[w] = events_between(race.first + 1, trace_.size(), w) & ~later[w];
  }
  reversed_number_ = race.second;
  reversed_ = second;
  reversed_.writes |= second.tries;
  has_reversed_ = true;
  Node& place = nodes_[race.first];
  if (!is_covered(place)) insert(place);
}

// The first event of a thread in the sequence; kNobody: there is none.
std::uint32_t Dpor::first_of(ThreadId thread) const {
  const std::uint64_t* own = trace_.of_thread(thread);
  for (std::size_t w = 0; w < members_.size(); ++w) {
    const std::uint64_t both = own[w] & members_[w];
    if (both != 0) return number_of(w, both);
  }
  const bool is_reversed = has_reversed_ && reversed_.thread == thread;
  return is_reversed ? reversed_number_ : kNobody;
}

// Asks the members of the sequence, in order, until one says yes.
template <typename Test>
bool Dpor::any_member(Test test) const {
  for (std::size_t w = 0; w < members_.size(); ++w) {
    for (std::uint64_t left = members_[w]; left != 0; left &= left - 1) {
      if (test(number_of(w, left))) return true;
    }
  }
  return has_reversed_ && test(reversed_number_);
}

void Dpor::remove(std::uint32_t number) {
  if (number == reversed_number_) {
    has_reversed_ = false;
  } else {
    members_[number >> 6] &= ~(std::uint64_t{1} << (number & 63));
  }
}

// Can `event`, the next of its thread, come first before the sequence?  It is
// then one of its members (*initial: which one; kNobody: none), or independent
// of them all [AbdullaEtAl14, section 4].
bool Dpor::is_weak_initial(const Event& event, std::uint32_t* initial) const {
  *initial = first_of(event.thread);
  if (*initial == kNobody) {
    Event any = event;  // whichever of its outcomes
    any.writes |= event.outcomes > 1;
    return !any_member(
        [&](std::uint32_t number) { return dependent(any, member(number)); });
  }
  const std::uint64_t* before = trace_.before(*initial);
  for (std::size_t w = 0; w < members_.size(); ++w) {
    if (before[w] & members_[w]) return false;
  }
  return true;
}

bool Dpor::is_covered(Node& place) const {
  std::uint32_t initial = 0;
  for (const Event& asleep : place.sleep) {
    if (is_weak_initial(asleep, &initial)) return true;
  }
  for (const Chosen& chosen : place.chosen) {
    if (chosen.outcomes == 0) continue;
    Event choice;
    choice.thread = chosen.thread;
    choice.kind = Kind::kChoose;
    if (!is_weak_initial(choice, &initial) || initial == kNobody) continue;
    if (chosen.outcomes >> member(initial).choice & 1) return true;
  }
  return false;
}

void Dpor::append_rest(Node* place, WakeupTrees::Branch parent) {
  any_member([&](std::uint32_t number) {
    const auto branch = trees_.make(member(number));
    if (parent == kNone) {
      trees_.append(place->tree, branch);
    } else {
      trees_.append(trees_[parent].first, branch);
    }
    parent = branch;
    return false;
  });
}

void Dpor::insert(Node& place) {
  auto parent = kNone;
  while (any_member([](std::uint32_t) { return true; })) {
    auto branch = parent == kNone ? place.tree : trees_[parent].first;
    std::uint32_t initial = 0;
    for (; branch != kNone; branch = trees_[branch].next) {
      const Event& event = trees_[branch].event;
      if (!is_weak_initial(event, &initial)) continue;
      if (initial == kNobody || event.outcomes <= 1 ||
          member(initial).choice == event.choice) {
        break;
      }
    }
    if (branch == kNone) return append_rest(&place, parent);
    if (trees_[branch].first == kNone) return;  // a leaf covers it
    if (initial != kNobody) remove(initial);
    parent = branch;
  }
}

// Each branch of a node counts the same; those that races will add later are
// not known yet.
double Dpor::share_done() const {
  double done = 0, share = 1;
  for (std::size_t d = 0; d < trace_.size() && share > 1e-6; ++d) {
    double left = 0;
    for (auto b = nodes_[d].tree; b != kNone; b = trees_[b].next) left += 1;
    const double begun = static_cast<double>(nodes_[d].sleep.size());
    if (begun + left < 1) continue;
    done += share * begun / (begun + left);
    share /= begun + left;
  }
  return done;
}

}  // namespace plumb::sched
