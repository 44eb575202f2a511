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
//  - A configuration is pruned if a visited one differs from it only in
//    having used fewer pending operations: it could do all that this one can.
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "check/mask.h"
#include "check/search.h"
#include "check/transitions.h"

namespace plumb::check {

namespace {

using history::History;
using history::Moment;
using history::Operation;

constexpr std::uint32_t kNone = UINT32_MAX;

// What the search needs to know of the history, laid out for it.
struct Plan {
  struct Item {
    std::uint32_t operation;  // index in the history
    LabelId label;
    std::uint32_t slot;  // its bit in a mask, reused after its return
    Moment invoked;
  };

  Plan(const History& history, Transitions& transitions);

  std::vector<Item> firm;     // in the order of their returns
  std::vector<Item> pending;  // in the order of their invocations
  // pending[i] may be used only after this one, which is equal: or kNone.
  std::vector<std::uint32_t> equal_before;
  std::vector<Moment> returned;  // of firm[k]

  // firm[k] is in the group of all with the same return moment; a group has
  // the list of all firm operations in flight at that moment, by return.
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> group_start;  // into in_flight
  std::vector<std::uint32_t> in_flight;    // indices into firm
  std::size_t slots = 0;

 private:
  void list_operations(const History& history, Transitions& transitions);
  void list_in_flight();
  void assign_slots();
};

Plan::Plan(const History& history, Transitions& transitions) {
  list_operations(history, transitions);
  list_in_flight();
  assign_slots();
}

void Plan::list_operations(const History& history, Transitions& transitions) {
  const auto signatures = transitions.object().operations();
  absl::flat_hash_map<LabelId, std::uint32_t> last_equal;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.pending() && signatures[o.code].reads_only) continue;
    const LabelId label = transitions.label(o.call(), o.observed());
    if (!o.pending()) {
      firm.push_back({i, label, 0, o.invoked});
      continue;
    }
    const auto [entry, is_new] = last_equal.try_emplace(label, kNone);
    equal_before.push_back(entry->second);
    entry->second = static_cast<std::uint32_t>(pending.size());
    pending.push_back({i, label, 0, o.invoked});
  }
  std::stable_sort(firm.begin(), firm.end(), [&](const Item& a, const Item& b) {
    return history.operations[a.operation].returned <
           history.operations[b.operation].returned;
  });
  for (const Item& item : firm) {
    returned.push_back(history.operations[item.operation].returned);
  }
}

void Plan::list_in_flight() {
  std::vector<std::uint32_t> by_invocation(firm.size());
  std::iota(by_invocation.begin(), by_invocation.end(), 0u);
  std::sort(by_invocation.begin(), by_invocation.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return firm[a].invoked < firm[b].invoked;
            });
  std::vector<std::uint32_t> open;  // sorted: indices into firm
  std::size_t invoked = 0;
  for (std::uint32_t k = 0; k < firm.size(); ++k) {
    if (k > 0 && returned[k] == returned[k - 1]) {
      group.push_back(group.back());
      continue;
    }
    open.erase(open.begin(), std::lower_bound(open.begin(), open.end(), k));
    const std::size_t old = open.size();
    while (invoked < firm.size() &&
           firm[by_invocation[invoked]].invoked <= returned[k]) {
      open.push_back(by_invocation[invoked++]);
    }
    std::sort(open.begin() + static_cast<std::ptrdiff_t>(old), open.end());
    std::inplace_merge(open.begin(),
                       open.begin() + static_cast<std::ptrdiff_t>(old),
                       open.end());
    group.push_back(static_cast<std::uint32_t>(group_start.size()));
    group_start.push_back(static_cast<std::uint32_t>(in_flight.size()));
    in_flight.insert(in_flight.end(), open.begin(), open.end());
  }
  group_start.push_back(static_cast<std::uint32_t>(in_flight.size()));
}

// A slot is taken from the first group in which an operation is in flight to
// the last, then used again.
void Plan::assign_slots() {
  std::vector<std::uint32_t> free;
  std::vector<bool> has_slot(firm.size());
  std::vector<std::uint32_t> holders;
  for (std::size_t g = 0; g + 1 < group_start.size(); ++g) {
    const std::uint32_t first = in_flight[group_start[g]];
    std::erase_if(holders, [&](std::uint32_t k) {
      if (k >= first) return false;
      free.push_back(firm[k].slot);
      return true;
    });
    for (auto i = group_start[g]; i < group_start[g + 1]; ++i) {
      const std::uint32_t k = in_flight[i];
      if (has_slot[k]) continue;
      has_slot[k] = true;
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(slots++));
      firm[k].slot = free.back();
      free.pop_back();
      holders.push_back(k);
    }
  }
  for (std::uint32_t i = 0; i < pending.size(); ++i) pending[i].slot = i;
}

template <typename Firm, typename Pending>
class Search {
 public:
  Search(const Plan& plan, Transitions& transitions,
         const SearchOptions& options, Budget& budget)
      : plan_(plan),
        transitions_(transitions),
        options_(options),
        budget_(budget) {}

  Verdict run();

 private:
  // Where the search stands: plan_.firm[0 .. treated) have returned and are
  // placed.  Invariant: bits of `placed` belong to later ones in flight.
  struct Configuration {
    std::uint32_t treated = 0;
    StateId state = 0;
    Firm placed;
    Pending used;
  };
  struct Frame {
    Configuration at;
    std::size_t placed_before;  // size of order_ on arrival
    // What to try next: an index into the group's list, then into pending;
    // and which of the successors of that operation.
    std::uint32_t candidate = 0;
    std::uint32_t successor = 0;
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

  void arrive(Configuration at);
  bool advance(Frame& frame);
  bool try_firm(Frame& frame, std::uint32_t k);
  bool try_pending(Frame& frame, std::uint32_t i);
  void place_what_changes_nothing(Configuration& at);
  bool skip_treated(Configuration& at);
  bool equal_returns_earlier(const Configuration& at, std::uint32_t k) const;
  bool seen(const Configuration& at);
  void note_longest(std::uint32_t treated);
  Verdict violated() const;

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
  std::vector<std::uint32_t> order_;  // operations placed so far
  // The pending operations used in visited configurations; no entry contains
  // another.
  absl::flat_hash_map<Key, absl::InlinedVector<Pending, 1>> visited_;
  bool explained_ = false;
  std::uint32_t farthest_ = 0;
  std::vector<std::uint32_t> longest_;
  std::uint64_t steps_ = 0;
};

template <typename Firm, typename Pending>
Verdict Search<Firm, Pending>::run() {
  Verdict verdict;
  arrive({.treated = 0,
          .state = transitions_.initial(),
          .placed = Firm(plan_.slots),
          .used = Pending(plan_.pending.size())});
  while (!explained_ && !stack_.empty()) {
    if (budget_.spent()) {
      verdict.reason = budget_.describe_limit();
      verdict.steps = steps_;
      return verdict;
    }
    Frame& frame = stack_.back();
    order_.resize(frame.placed_before);
    if (!advance(frame)) stack_.pop_back();
  }
  if (!explained_) return violated();
  verdict.answer = Answer::kHolds;
  verdict.steps = steps_;
  if (options_.want_order) verdict.order = std::move(order_);
  return verdict;
}

template <typename Firm, typename Pending>
Verdict Search<Firm, Pending>::violated() const {
  Verdict verdict;
  verdict.answer = Answer::kViolated;
  verdict.steps = steps_;
  // Nothing gets past this return; what was invoked later has no part in it.
  const Moment last = farthest_ < plan_.firm.size() ? plan_.returned[farthest_]
                                                    : history::kNever;
  for (const Plan::Item& item : plan_.firm) {
    if (item.invoked <= last) verdict.core.push_back(item.operation);
  }
  std::sort(verdict.core.begin(), verdict.core.end());
  if (options_.want_longest) verdict.order = longest_;
  return verdict;
}

// Comes to a new configuration, after order_ was extended.  Pushes a frame
// unless the history is explained or the configuration was seen before.
template <typename Firm, typename Pending>
void Search<Firm, Pending>::arrive(Configuration at) {
  ++steps_;
  place_what_changes_nothing(at);
  note_longest(at.treated);
  // With all returned and debts open, pending operations may still pay them.
  explained_ =
      at.treated == plan_.firm.size() && transitions_.may_end(at.state);
  if (explained_ || seen(at)) return;
  const std::size_t placed = order_.size();
  stack_.push_back({std::move(at), placed});
}

template <typename Firm, typename Pending>
void Search<Firm, Pending>::note_longest(std::uint32_t treated) {
  if (treated <= farthest_ && !longest_.empty()) return;
  farthest_ = std::max(farthest_, treated);
  if (options_.want_longest) longest_ = order_;
}

template <typename Firm, typename Pending>
bool Search<Firm, Pending>::seen(const Configuration& at) {
  auto& masks = visited_[Key{at.treated, at.state, at.placed}];
  for (const Pending& mask : masks) {
    if (mask.is_subset_of(at.used)) return true;
  }
  masks.erase(std::remove_if(masks.begin(), masks.end(),
                             [&](const Pending& mask) {
                               return at.used.is_subset_of(mask);
                             }),
              masks.end());
  masks.push_back(at.used);
  return false;
}

// Returns whether it moved.
template <typename Firm, typename Pending>
bool Search<Firm, Pending>::skip_treated(Configuration& at) {
  const std::uint32_t before = at.treated;
  while (at.treated < plan_.firm.size() &&
         at.placed.test(plan_.firm[at.treated].slot)) {
    at.placed.reset(plan_.firm[at.treated].slot);
    ++at.treated;
  }
  return at.treated != before;
}

template <typename Firm, typename Pending>
void Search<Firm, Pending>::place_what_changes_nothing(Configuration& at) {
  skip_treated(at);
  while (at.treated < plan_.firm.size()) {
    for (const std::uint32_t k : in_flight(at)) {
      const Plan::Item& item = plan_.firm[k];
      if (k < at.treated || at.placed.test(item.slot)) continue;
      if (!transitions_.changes_nothing(item.label) ||
          transitions_.next(at.state, item.label).empty()) {
        continue;
      }
      at.placed.set(item.slot);
      order_.push_back(item.operation);
    }
    if (!skip_treated(at)) return;
  }
}

// Tries the next candidate of `frame` that leads somewhere new.  Returns false
// when there is none left.
template <typename Firm, typename Pending>
bool Search<Firm, Pending>::advance(Frame& frame) {
  const bool all_treated = frame.at.treated == plan_.firm.size();
  const std::size_t firm_count = all_treated ? 0 : in_flight(frame.at).size();
  const std::size_t depth = stack_.size();
  // `frame` may move when the stack grows, so the position is kept in it and
  // nothing of it is used after a push.
  while (frame.candidate < firm_count + plan_.pending.size()) {
    const std::uint32_t c = frame.candidate;
    const bool more =
        c < firm_count
            ? try_firm(frame, in_flight(frame.at)[c])
            : try_pending(frame, c - static_cast<std::uint32_t>(firm_count));
    if (explained_ || stack_.size() > depth) return true;
    order_.resize(frame.placed_before);
    if (!more) {
      ++frame.candidate;
      frame.successor = 0;
    }
    if (budget_.spent()) return true;  // run() sees it, too
  }
  return false;
}

// Places firm[k].  Returns whether it has further successors to try.
template <typename Firm, typename Pending>
bool Search<Firm, Pending>::try_firm(Frame& frame, std::uint32_t k) {
  const Plan::Item& item = plan_.firm[k];
  if (k < frame.at.treated || frame.at.placed.test(item.slot)) return false;
  if (frame.successor == 0 && equal_returns_earlier(frame.at, k)) return false;
  const auto next = transitions_.next(frame.at.state, item.label);
  if (frame.successor >= next.size()) return false;
  Configuration at = frame.at;
  at.state = next[frame.successor++];
  at.placed.set(item.slot);
  order_.push_back(item.operation);
  arrive(std::move(at));
  return true;
}

template <typename Firm, typename Pending>
bool Search<Firm, Pending>::equal_returns_earlier(const Configuration& at,
                                                  std::uint32_t k) const {
  for (const std::uint32_t other : in_flight(at)) {
    if (other >= k) return false;
    if (other >= at.treated && !at.placed.test(plan_.firm[other].slot) &&
        plan_.firm[other].label == plan_.firm[k].label) {
      return true;
    }
  }
  return false;
}

template <typename Firm, typename Pending>
bool Search<Firm, Pending>::try_pending(Frame& frame, std::uint32_t i) {
  const Plan::Item& item = plan_.pending[i];
  const Configuration& from = frame.at;
  if (from.used.test(item.slot)) return false;
  if (from.treated < plan_.firm.size() &&
      item.invoked > plan_.returned[from.treated]) {
    return false;
  }
  const std::uint32_t before = plan_.equal_before[i];
  if (before != kNone && !from.used.test(plan_.pending[before].slot)) {
    return false;
  }
  const auto next = transitions_.next(from.state, item.label);
  while (frame.successor < next.size() && next[frame.successor] == from.state) {
    ++frame.successor;  // it would change nothing
  }
  if (frame.successor >= next.size()) return false;
  Configuration at = from;
  at.state = next[frame.successor++];
  at.used.set(item.slot);
  order_.push_back(item.operation);
  arrive(std::move(at));
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
    return Search<NarrowMask, NarrowMask>(plan, transitions, options, budget)
        .run();
  }
  return Search<WideMask, WideMask>(plan, transitions, options, budget).run();
}

}  // namespace plumb::check
