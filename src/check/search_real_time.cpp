// SPDX-License-Identifier: Apache-2.0
//
// A history is linearizable [HerlihyWing90, p. 469] iff some completion of it
// has a legal sequential order that contains its real-time order.  We build
// that order from left to right [WingGong93] and visit every configuration
// once [Lowe17].  The problem is NP-complete [GibbonsKorach97]; what keeps the
// search small in practice:
//
//  - Just-in-time [Lowe17]: returns are treated one by one, in order; nothing
//    is placed before some return needs it.  So a configuration is the number
//    of returns treated, the operations placed among those in flight, and the
//    state: sixteen bytes, where a set of all operations placed would need a
//    bit for each.
//  - An operation that can never change the state is placed as soon as it is
//    legal: reads, failed operations, takes that found nothing.  (One that
//    just happens to change nothing here, a second write of the same value,
//    must not be: it may be needed later.)
//  - Of operations in flight that are equal (call and result), the one that
//    returns first is placed first; of equal pending ones, the one invoked
//    first: exchanging the two in any solution gives another.
//    (Not where clocks leave open what overlaps: what the processes of the two
//    did before or after stands in the way.)
//  - A configuration is pruned if a visited one differs from it only in
//    having used fewer pending and optional operations: it could do all that
//    this one can.
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "base/input_error.h"
#include "check/flight_plan.h"
#include "check/mask.h"
#include "check/search.h"
#include "check/transitions.h"

namespace plumb::check {

namespace {

using history::History;
using history::Moment;
using Plan = FlightPlan;

template <typename Firm, typename Pending>
class RealTimeSearch {
 public:
  RealTimeSearch(const Plan& plan, Transitions& transitions,
                 const SearchOptions& options, Budget& budget)
      : plan_(plan),
        transitions_(transitions),
        options_(options),
        budget_(budget) {}

  Verdict run();

 private:
  // Pending and optional operations make the search large, since each may
  // have happened or not.  So there are three ways, tried one after the other.
  enum class Mode : std::uint8_t {
    // As if each of them could be used again and again.  Then the ones used
    // need not be remembered, and objects with few states are explored
    // quickly.  What cannot be explained even so is violated; an
    // order that uses none twice explains the history.
    kUnlimited,
    // Finds an explanation fast where there is one.
    kDepthFirst,
    // By the number of pending operations used: a configuration never comes
    // before one that prunes it, so that none is explored twice.
    kByCount,
  };

  // Where the search stands: plan_.firm[0 .. treated) have returned and are
  // placed.  Invariant: bits of `placed` belong to later ones in flight.
  struct Configuration {
    std::uint32_t treated = 0;
    StateId state = 0;
    Firm placed;   // of those that certainly took effect
    Firm taken;    // of the optional ones
    Pending used;  // of the pending ones
    std::uint32_t used_count = 0;
    std::uint32_t trail = kStart;  // the last operation placed
  };
  struct Frame {
    Configuration at;
    // What to try next: 0 to pass over an optional operation, then those of
    // the group's list, then the pending ones; and which of the successors.
    std::uint32_t candidate = 0;
    std::uint32_t successor = 0;
  };
  // An operation that was placed, and the one placed before it.
  struct Placed {
    std::uint32_t operation;
    std::uint32_t before;
  };
  static constexpr std::uint32_t kStart = UINT32_MAX;  // plus 1 is 0
  // Operations that need not have taken effect, and did: the fewer, the more
  // can still be done.
  struct Spent {
    Firm taken;
    Pending used;
  };
  struct Key {
    std::uint32_t treated;
    StateId state;
    Firm placed;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.treated, key.state, key.placed);
    }
  };

  Verdict explore(Mode mode, std::uint64_t patience);
  bool undecided(const Verdict& verdict) const {
    return verdict.answer == Answer::kUnknown &&
           budget_.limit() == Limit::kNone;
  }
  // Without limits, a container would grow for ever.
  bool has_too_many_states() const {
    return mode_ == Mode::kUnlimited &&
           transitions_.size() > 64 + 2 * plan_.firm.size();
  }
  bool uses_something_twice() const;
  void start();
  void arrive(Configuration at);
  bool take_deferred();
  void place(Configuration& at, const Plan::Item& item);
  std::vector<std::uint32_t> order_to(std::uint32_t trail) const;
  bool advance(Frame& frame);
  bool pass_over(Frame& frame);
  bool try_firm(Frame& frame, std::uint32_t k);
  bool try_pending(Frame& frame, std::uint32_t i);
  bool may_end(const Configuration& at);
  void place_what_changes_nothing(Configuration& at);
  bool skip_treated(Configuration& at);
  // Is behind us what its process did before?
  bool in_turn(const Configuration& at, const Plan::Item& item) const {
    if (item.after == Plan::kNone || item.after < at.treated) return true;
    const Plan::Item& before = plan_.firm[item.after];
    return mask_for(at, before).test(before.slot);
  }
  bool equal_returns_earlier(const Configuration& at, std::uint32_t k) const;
  bool seen(const Configuration& at);
  void note_longest(const Configuration& at);
  Verdict violated() const;

  static Firm& mask_for(Configuration& at, const Plan::Item& item) {
    return item.optional ? at.taken : at.placed;
  }
  static const Firm& mask_for(const Configuration& at, const Plan::Item& item) {
    return item.optional ? at.taken : at.placed;
  }
  std::span<const std::uint32_t> in_flight(const Configuration& at) const {
    const std::uint32_t g = plan_.group[at.treated];
    return {&plan_.in_flight[plan_.group_start[g]],
            plan_.group_start[g + 1] - plan_.group_start[g]};
  }

  const Plan& plan_;
  Transitions& transitions_;
  const SearchOptions& options_;
  Budget& budget_;

  std::vector<Frame> stack_;
  std::vector<Placed> trail_;
  // Configurations left for later, by the number of pending operations used.
  std::vector<std::vector<Configuration>> deferred_;
  Mode mode_ = Mode::kDepthFirst;
  // What visited configurations had spent; no entry prunes another.
  FlatMap<Key, absl::InlinedVector<Spent, 1>> visited_;
  bool explained_ = false;
  // Without limits: it needs pending operations that may be used up already.
  bool is_doubtful_ = false;
  std::uint32_t end_ = kStart;  // of the trail, once explained
  std::uint32_t farthest_ = 0;
  std::vector<std::uint32_t> longest_;
  std::uint64_t steps_ = 0;
};

template <typename Firm, typename Pending>
Verdict RealTimeSearch<Firm, Pending>::run() {
  const std::uint64_t size = plan_.firm.size() + plan_.pending.size();
  const bool all_certain =
      plan_.pending.empty() &&
      std::none_of(plan_.firm.begin(), plan_.firm.end(),
                   [](const Plan::Item& item) { return item.optional; });
  if (all_certain) return explore(Mode::kDepthFirst, UINT64_MAX);
  Verdict verdict;
  if (!options_.want_longest) {  // which must use nothing twice
    try {
      verdict = explore(Mode::kUnlimited, 20'000 + 200 * size);
      if (!undecided(verdict)) return verdict;
    } catch (const InputError&) {
      // An object of the user's own may be full after more operations than
      // there are.  That is no error of the user's.
    }
  }
  verdict = explore(Mode::kDepthFirst, 10'000 + 20 * size);
  if (!undecided(verdict)) return verdict;
  return explore(Mode::kByCount, UINT64_MAX);
}

// Answers kUnknown also after `patience` steps, and where an order found
// without limits uses a pending operation twice.
template <typename Firm, typename Pending>
Verdict RealTimeSearch<Firm, Pending>::explore(Mode mode,
                                               std::uint64_t patience) {
  Verdict verdict;
  mode_ = mode;
  const std::uint64_t until = patience + std::min(steps_, ~patience);
  start();
  while (!explained_ && (!stack_.empty() || take_deferred())) {
    if (budget_.spent() || steps_ > until || has_too_many_states()) {
      verdict.reason = budget_.describe_limit();
      verdict.steps = steps_;
      return verdict;
    }
    if (stack_.empty()) continue;
    // What was placed behind this frame has come to nothing.
    if (mode_ != Mode::kByCount) trail_.resize(stack_.back().at.trail + 1);
    if (!advance(stack_.back())) stack_.pop_back();
  }
  if (!explained_) return violated();
  verdict.steps = steps_;
  if (mode_ == Mode::kUnlimited && (is_doubtful_ || uses_something_twice())) {
    return verdict;
  }
  verdict.answer = Answer::kHolds;
  if (options_.want_order) verdict.order = order_to(end_);
  return verdict;
}

template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::uses_something_twice() const {
  std::vector<std::uint32_t> order = order_to(end_);
  std::sort(order.begin(), order.end());
  return std::adjacent_find(order.begin(), order.end()) != order.end();
}

template <typename Firm, typename Pending>
void RealTimeSearch<Firm, Pending>::start() {
  stack_.clear();
  trail_.clear();
  visited_.clear();
  farthest_ = 0;
  is_doubtful_ = false;
  longest_.clear();
  deferred_.assign(plan_.pending.size() + 1, {});
  arrive({.treated = 0,
          .state = transitions_.initial(),
          .placed = Firm(plan_.slots),
          .taken = Firm(plan_.slots),
          .used = Pending(plan_.pending.size())});
}

// Arrives at one of the configurations left for later; false: there is none.
template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::take_deferred() {
  for (auto& configurations : deferred_) {
    if (configurations.empty()) continue;
    Configuration at = std::move(configurations.back());
    configurations.pop_back();
    arrive(std::move(at));
    return true;
  }
  return false;
}

template <typename Firm, typename Pending>
std::vector<std::uint32_t> RealTimeSearch<Firm, Pending>::order_to(
    std::uint32_t trail) const {
  std::vector<std::uint32_t> order;
  for (; trail != kStart; trail = trail_[trail].before) {
    order.push_back(trail_[trail].operation);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

template <typename Firm, typename Pending>
Verdict RealTimeSearch<Firm, Pending>::violated() const {
  Verdict verdict;
  verdict.answer = Answer::kViolated;
  verdict.steps = steps_;
  // Nothing gets past this return; what was invoked later has no part in it.
  const Moment last = farthest_ < plan_.firm.size() ? plan_.returned[farthest_]
                                                    : history::kNever;
  for (const Plan::Item& item : plan_.firm) {
    if (item.invoked <= last && !item.optional) {
      verdict.core.push_back(item.operation);
    }
  }
  std::sort(verdict.core.begin(), verdict.core.end());
  if (options_.want_longest) verdict.order = longest_;
  return verdict;
}

// Comes to a new configuration.  Pushes a frame unless the history is
// explained or the configuration was seen before.
template <typename Firm, typename Pending>
void RealTimeSearch<Firm, Pending>::arrive(Configuration at) {
  ++steps_;
  place_what_changes_nothing(at);
  // With all returned and debts open, pending operations may still pay them,
  // or let further ones do so.
  explained_ = at.treated == plan_.firm.size() && may_end(at);
  note_longest(at);
  if (explained_ || seen(at)) return;
  stack_.push_back({std::move(at)});
}

template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::may_end(const Configuration& at) {
  if (transitions_.may_end(at.state)) return true;
  const bool limited = mode_ != Mode::kUnlimited;
  std::vector<LabelId> left;
  for (const Plan::Item& item : plan_.pending) {
    if (limited && at.used.test(item.slot)) continue;
    left.push_back(item.label);
  }
  if (left.empty() || !transitions_.may_end(at.state, left)) return false;
  is_doubtful_ = !limited;
  return true;
}

template <typename Firm, typename Pending>
void RealTimeSearch<Firm, Pending>::place(Configuration& at,
                                          const Plan::Item& item) {
  const auto here = static_cast<std::uint32_t>(trail_.size());
  trail_.push_back({item.operation, at.trail});
  at.trail = here;
}

template <typename Firm, typename Pending>
void RealTimeSearch<Firm, Pending>::note_longest(const Configuration& at) {
  const bool is_new = at.treated > farthest_ || longest_.empty();
  farthest_ = std::max(farthest_, at.treated);
  if (options_.want_longest && is_new) longest_ = order_to(at.trail);
  if (explained_) end_ = at.trail;
}

template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::seen(const Configuration& at) {
  auto& others = visited_[Key{at.treated, at.state, at.placed}];
  const bool limited = mode_ != Mode::kUnlimited;
  const auto prunes = [limited](const Spent& a, const Spent& b) {
    return a.taken.is_subset_of(b.taken) &&
           (!limited || a.used.is_subset_of(b.used));
  };
  const Spent mine{at.taken, at.used};
  for (const Spent& other : others) {
    if (prunes(other, mine)) return true;
  }
  others.erase(
      std::remove_if(others.begin(), others.end(),
                     [&](const Spent& other) { return prunes(mine, other); }),
      others.end());
  others.push_back(mine);
  return false;
}

// Returns whether it moved.
template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::skip_treated(Configuration& at) {
  const std::uint32_t before = at.treated;
  for (; at.treated < plan_.firm.size(); ++at.treated) {
    const Plan::Item& item = plan_.firm[at.treated];
    if (!mask_for(at, item).test(item.slot)) break;
    mask_for(at, item).reset(item.slot);
  }
  return at.treated != before;
}

template <typename Firm, typename Pending>
void RealTimeSearch<Firm, Pending>::place_what_changes_nothing(
    Configuration& at) {
  skip_treated(at);
  while (at.treated < plan_.firm.size()) {
    for (const std::uint32_t k : in_flight(at)) {
      const Plan::Item& item = plan_.firm[k];
      if (k < at.treated || mask_for(at, item).test(item.slot)) continue;
      if (!transitions_.changes_nothing(item.label) || !in_turn(at, item) ||
          transitions_.next(at.state, item.label).empty()) {
        continue;
      }
      mask_for(at, item).set(item.slot);
      place(at, item);
    }
    if (!skip_treated(at)) return;
  }
}

// Tries the next candidate of `frame` that leads somewhere new.  Returns false
// when there is none left.
template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::advance(Frame& frame) {
  const bool all_treated = frame.at.treated == plan_.firm.size();
  const std::uint32_t firm_count =
      all_treated ? 0 : static_cast<std::uint32_t>(in_flight(frame.at).size());
  const auto pending_count = static_cast<std::uint32_t>(plan_.pending.size());
  const std::size_t depth = stack_.size();
  // `frame` may move when the stack grows, so the position is kept in it and
  // nothing of it is used after a push.
  while (frame.candidate <= firm_count + pending_count) {
    const std::uint32_t c = frame.candidate;
    const std::size_t mark = trail_.size();
    const bool is_firm = c <= firm_count;
    const bool more = c == 0    ? pass_over(frame)
                      : is_firm ? try_firm(frame, in_flight(frame.at)[c - 1])
                                : try_pending(frame, c - 1 - firm_count);
    if (explained_ || stack_.size() > depth) return true;
    if (mode_ != Mode::kByCount || is_firm) trail_.resize(mark);
    if (!more) {
      ++frame.candidate;
      frame.successor = 0;
    }
  }
  return false;
}

// Lets an optional operation return without having taken effect.
template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::pass_over(Frame& frame) {
  if (frame.at.treated == plan_.firm.size() ||
      !plan_.firm[frame.at.treated].optional) {
    return false;
  }
  Configuration at = frame.at;
  ++at.treated;
  ++frame.candidate;  // here, since `frame` may move
  arrive(std::move(at));
  return true;
}

// Places firm[k].  Returns whether it has further successors to try.
template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::try_firm(Frame& frame, std::uint32_t k) {
  const Plan::Item& item = plan_.firm[k];
  if (k < frame.at.treated || mask_for(frame.at, item).test(item.slot) ||
      !in_turn(frame.at, item)) {
    return false;
  }
  if (frame.successor == 0 && equal_returns_earlier(frame.at, k)) return false;
  const auto next = transitions_.next(frame.at.state, item.label);
  if (frame.successor >= next.size()) return false;
  Configuration at = frame.at;
  at.state = next[frame.successor++];
  if (mode_ != Mode::kUnlimited || !item.optional) {
    mask_for(at, item).set(item.slot);
  }
  place(at, item);
  arrive(std::move(at));
  return true;
}

template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::equal_returns_earlier(
    const Configuration& at, std::uint32_t k) const {
  if (plan_.keeps_processes) return false;
  for (const std::uint32_t other : in_flight(at)) {
    if (other >= k) return false;
    const Plan::Item& item = plan_.firm[other];
    if (other >= at.treated && !mask_for(at, item).test(item.slot) &&
        item.label == plan_.firm[k].label) {
      return true;
    }
  }
  return false;
}

template <typename Firm, typename Pending>
bool RealTimeSearch<Firm, Pending>::try_pending(Frame& frame, std::uint32_t i) {
  const Plan::Item& item = plan_.pending[i];
  const Configuration& from = frame.at;
  const bool limited = mode_ != Mode::kUnlimited;
  if (limited && from.used.test(item.slot)) return false;
  if (!in_turn(from, item)) return false;
  if (from.treated < plan_.firm.size() &&
      item.invoked > plan_.returned[from.treated]) {
    return false;
  }
  const std::uint32_t before = plan_.equal_before[i];
  if (before != Plan::kNone &&
      (!limited || !from.used.test(plan_.pending[before].slot))) {
    return false;
  }
  const auto next = transitions_.next(from.state, item.label);
  while (frame.successor < next.size() && next[frame.successor] == from.state) {
    ++frame.successor;  // it would change nothing
  }
  if (frame.successor >= next.size()) return false;
  Configuration at = from;
  at.state = next[frame.successor++];
  if (limited) at.used.set(item.slot);
  ++at.used_count;
  place(at, item);
  if (mode_ == Mode::kByCount) {
    deferred_[at.used_count].push_back(std::move(at));
  } else {
    arrive(std::move(at));
  }
  return true;
}

}  // namespace

Verdict search_real_time(const History& history,
                         const spec::Specification& object,
                         const SearchOptions& options, Budget& budget) {
  Transitions transitions(object);
  const Plan plan(history, transitions);
  if (plan.firm.empty()) {
    Verdict verdict;  // nothing is observed, so nothing can be wrong
    verdict.answer = Answer::kHolds;
    return verdict;
  }
  const bool narrow = plan.slots <= NarrowMask::kCapacity &&
                      plan.pending.size() <= NarrowMask::kCapacity;
  if (narrow) {
    return RealTimeSearch<NarrowMask, NarrowMask>(plan, transitions, options,
                                                  budget)
        .run();
  }
  return RealTimeSearch<WideMask, WideMask>(plan, transitions, options, budget)
      .run();
}

}  // namespace plumb::check
