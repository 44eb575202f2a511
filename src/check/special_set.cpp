// SPDX-License-Identifier: Apache-2.0
// A set in which no value is added twice.  Each value is judged by itself
// [HerlihyWing90, theorem on locality]: absent, then present from its add to
// its remove, then absent.  Operations that made it present, saw it present or
// ended that must lie within.  With `begins`, the earliest return of these,
// and `ends`, their latest invocation, the value is present for sure between
// the two, both excluded; no operation that saw it absent may lie there
// [LeeMathur25].  Linear.
//
// LIMIT: a value that is added or removed twice is left to the general search.
#include <algorithm>
#include <array>
#include <utility>

#include "check/special.h"
#include "check/special_common.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

struct SetCodes {
  std::uint16_t add = code_of("set", "add");
  std::uint16_t remove = code_of("set", "remove");
};

// Operations on one value, by index; kNoIndex: none.
struct Presence {
  Index add = kNoIndex;          // that made it present
  Index remove = kNoIndex;       // that ended this
  Index pending_add = kNoIndex;  // the first one
  Index pending_remove = kNoIndex;
  // Of those that saw it present, `add` and `remove` included: the one that
  // returned first, and the one that was invoked last.
  Index first_to_return = kNoIndex;
  Index last_invoked = kNoIndex;
  bool repeats = false;            // added or removed twice
  bool more_pending_adds = false;  // than `add` and `pending_add`
};

class SetDecider {
 public:
  SetDecider(const History& history, Budget& budget)
      : history_(history), timeline_(history), budget_(budget) {}

  std::optional<Verdict> decide(bool want_order) {
    if (!read()) return give_up();
    for (Presence& presence : presences_) {
      if (budget_.spent()) return stopped(budget_);
      if (!presence.repeats) settle(presence);
    }
    for (std::uint32_t i = 0; i < history_.size() && core_.empty(); ++i) {
      if (budget_.spent()) return stopped(budget_);
      if (saw_absent(i)) judge_absent(i);
    }
    if (!core_.empty()) return violated_by(std::move(core_));
    if (left_open_) return std::nullopt;
    Verdict verdict;
    verdict.answer = Answer::kHolds;
    if (want_order) verdict.order = find_order();
    return verdict;
  }

 private:
  std::optional<Verdict> give_up() const {
    if (budget_.limit() != Limit::kNone) return stopped(budget_);
    return std::nullopt;
  }

  const Operation& operation(std::size_t i) const {
    return history_.operations[i];
  }
  Interval when(Index i) const { return timeline_[at(i)]; }
  Presence& presence(std::size_t i) { return presences_[at(values_[i])]; }

  bool read() {
    ValueTable table;
    for (const Operation& one : history_.operations) {
      if (budget_.spent()) return false;
      table.expect(one.argument);
    }
    table.prepare();
    values_.resize(history_.size());
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (budget_.spent()) return false;
      Index& value = table[operation(i).argument];
      if (value == kNoIndex) {
        value = static_cast<Index>(presences_.size());
        presences_.emplace_back();
      }
      values_[i] = value;
      if (operation(i).pending()) {
        read_pending(static_cast<Index>(i), presences_[at(value)]);
      } else if (!operation(i).result.is_boolean()) {
        return false;
      } else if (saw_present_or_added(i)) {
        read_present(static_cast<Index>(i), presences_[at(value)]);
      }
    }
    return true;
  }

  bool is_add(std::size_t i) const { return operation(i).code == codes().add; }
  bool is_remove(std::size_t i) const {
    return operation(i).code == codes().remove;
  }
  static const SetCodes& codes() {
    static const SetCodes kCodes;
    return kCodes;
  }
  // A completed add that returned false saw the value, like a `true` of the
  // other two; one that returned true made it present.
  bool saw_present_or_added(std::size_t i) const {
    return is_add(i) || operation(i).result.is_true();
  }
  bool saw_absent(std::size_t i) const {
    return !operation(i).pending() && !saw_present_or_added(i);
  }

  void read_pending(Index i, Presence& presence) const {
    if (is_add(at(i))) {
      if (presence.pending_add != kNoIndex)
        presence.more_pending_adds = true;
      else
        presence.pending_add = i;
    } else if (is_remove(at(i)) && presence.pending_remove == kNoIndex) {
      presence.pending_remove = i;
    }
  }

  void read_present(Index i, Presence& presence) {
    if (operation(at(i)).result.is_true() && !is_contains(at(i))) {
      Index& change = is_add(at(i)) ? presence.add : presence.remove;
      if (change != kNoIndex) {
        presence.repeats = true;
        left_open_ = true;
      }
      change = i;
    }
    include(i, presence);
  }
  bool is_contains(std::size_t i) const { return !is_add(i) && !is_remove(i); }

  void include(Index i, Presence& presence) const {
    if (presence.last_invoked == kNoIndex ||
        when(i).first >= when(presence.last_invoked).first) {
      presence.last_invoked = i;
    }
    if (presence.first_to_return == kNoIndex ||
        when(i).last < when(presence.first_to_return).last) {
      presence.first_to_return = i;
    }
  }

  // Decides which pending operations take effect, and judges those that saw
  // the value present.
  //
  // A pending add does if somebody saw the value and nobody else added it.  A
  // pending remove does if there is an add: then the value must be present for
  // a shorter time, and nothing else is asked, since a remove that never
  // returned is never too early.  Of several, the first is the best.
  void settle(Presence& presence) {
    if (presence.first_to_return == kNoIndex) return;
    if (presence.add == kNoIndex && presence.pending_add != kNoIndex) {
      presence.add = std::exchange(presence.pending_add, kNoIndex);
      include(presence.add, presence);
    }
    if (presence.add == kNoIndex) {
      report({presence.first_to_return}, presence);
      return;
    }
    if (presence.remove == kNoIndex && presence.pending_remove != kNoIndex) {
      presence.remove = presence.pending_remove;
      include(presence.remove, presence);
    }
    if (begins(presence) < when(presence.add).first) {
      report({presence.add, presence.first_to_return}, presence);
    } else if (presence.remove != kNoIndex &&
               when(presence.remove).last < ends(presence)) {
      report({presence.add, presence.remove, presence.last_invoked}, presence);
    }
  }

  // Requires: there is an add.
  Cell begins(const Presence& presence) const {
    return when(presence.first_to_return).last;
  }
  Cell ends(const Presence& presence) const {
    if (presence.remove == kNoIndex) return timeline_.cells();
    return when(presence.last_invoked).first;
  }

  void judge_absent(std::uint32_t i) {
    const Presence& there = presence(i);
    if (there.add == kNoIndex || there.repeats) return;
    if (timeline_[i].first <= begins(there) ||
        timeline_[i].last >= ends(there)) {
      return;
    }
    std::vector<Index> core = {there.add, there.first_to_return,
                               static_cast<Index>(i)};
    if (there.remove != kNoIndex) core.push_back(there.last_invoked);
    report(std::move(core), there);
  }

  // A pending add that is left could make the value present once more.
  void report(std::vector<Index> core, const Presence& presence) {
    if (presence.more_pending_adds || presence.pending_add != kNoIndex) {
      left_open_ = true;
    } else if (core_.empty()) {
      core_.assign(core.begin(), core.end());
    }
  }

  // In a cell: those that saw the value absent before it came, its add, those
  // that saw it, its remove, those that saw it absent afterwards.
  std::vector<std::uint32_t> find_order() {
    std::array<std::vector<Placed>, 5> ranks;
    for (std::uint32_t i = 0; i < history_.size(); ++i) {
      const Presence& there = presence(i);
      const auto index = static_cast<Index>(i);
      const Cell first = timeline_[i].first;
      const bool ever = there.add != kNoIndex;
      const Cell end = ever ? ends(there) : 0;
      const Cell begin = ever ? std::min(begins(there), end) : 0;
      if (ever && there.add == index) {
        ranks[1].push_back({i, begin});
      } else if (ever && there.remove == index) {
        ranks[3].push_back({i, end});
      } else if (operation(i).pending()) {
        continue;
      } else if (!saw_absent(i)) {
        ranks[2].push_back({i, std::max(first, begin)});
      } else if (!ever || first <= begin) {
        ranks[0].push_back({i, first});
      } else {
        ranks[4].push_back({i, std::max(first, end)});
      }
    }
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      ranks[0].insert(ranks[0].end(), ranks[r].begin(), ranks[r].end());
    }
    return ordered_by_cell(ranks[0], timeline_.cells());
  }

  const History& history_;
  const Timeline timeline_;
  Budget& budget_;
  std::vector<Index> values_;        // by operation: index into presences_
  std::vector<Presence> presences_;  // by value
  bool left_open_ = false;           // a value that only a search can judge
  Core core_;
};

}  // namespace

std::optional<Verdict> decide_set(const History& history,
                                  const SpecialOptions& options,
                                  Budget& budget) {
  return SetDecider(history, budget).decide(options.want_order);
}

}  // namespace plumb::check
