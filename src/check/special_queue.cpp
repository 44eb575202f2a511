// SPDX-License-Identifier: Apache-2.0
// A queue with distinct values.  Its history can be explained iff every value
// by itself and every empty take can (special_collection.cpp), and no value
// `b` overtakes a value `a`: no add of `a` precedes the add of `b` while the
// take of `b` precedes the take of `a` [HenzingerSezginVafeiadis13]
// [BouajjaniEmmiEneaHamza15].  A value that stays is taken after everything.
// One pass, linear [GibbonsBrunoPhillips02].
#include <algorithm>

#include "base/invariant.h"
#include "check/special.h"
#include "check/special_collection.h"
#include "check/special_repeated.h"

namespace plumb::check {

namespace {

// The items in the order of some cell of each: a counting sort.
template <typename CellOf>
Items sorted_by(const Collection& collection, const CellOf& cell_of) {
  Items begins(static_cast<std::size_t>(collection.cells) + 2);
  for (const Item& item : collection.items) {
    ++begins[static_cast<std::size_t>(cell_of(item)) + 1];
  }
  for (std::size_t c = 1; c < begins.size(); ++c) begins[c] += begins[c - 1];
  Items sorted(collection.items.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    Index& at = begins[static_cast<std::size_t>(cell_of(collection.items[i]))];
    sorted[static_cast<std::size_t>(at++)] = static_cast<Index>(i);
  }
  return sorted;
}

// Gives the items in an order in which no add and no take of a later one
// precedes that of an earlier one.  Without overtaking there is such an order:
// a cycle of the two relations could be cut down to one of two items.
class QueueElimination {
 public:
  explicit QueueElimination(const Collection& collection)
      : items_(collection.items),
        by_added_first_(
            sorted_by(collection, [](const Item& i) { return i.added.first; })),
        by_added_last_(
            sorted_by(collection, [](const Item& i) { return i.added.last; })),
        by_taken_first_(
            sorted_by(collection, [](const Item& i) { return i.taken.first; })),
        by_taken_last_(
            sorted_by(collection, [](const Item& i) { return i.taken.last; })),
        open_(items_.size(), 2),
        gone_(items_.size()) {}

  Items run() {
    Items order;
    order.reserve(items_.size());
    while (order.size() < items_.size()) {
      find_ready();
      PLUMB_CHECK(!ready_.empty());
      const Index next = ready_.back();
      ready_.pop_back();
      gone_[static_cast<std::size_t>(next)] = true;
      order.push_back(next);
    }
    return order;
  }

 private:
  const Item& item(Index i) const {
    return items_[static_cast<std::size_t>(i)];
  }

  // An item is ready if neither its add nor its take is preceded by one of
  // those that are left.  The bounds only grow, so each list is walked once.
  void find_ready() {
    while (is_gone(by_added_last_, added_last_)) ++added_last_;
    while (is_gone(by_taken_last_, taken_last_)) ++taken_last_;
    const Cell first_added = item(by_added_last_[added_last_]).added.last;
    const Cell first_taken = item(by_taken_last_[taken_last_]).taken.last;
    for (; added_first_ < items_.size() &&
           item(by_added_first_[added_first_]).added.first <= first_added;
         ++added_first_) {
      close_one(by_added_first_[added_first_]);
    }
    for (; taken_first_ < items_.size() &&
           item(by_taken_first_[taken_first_]).taken.first <= first_taken;
         ++taken_first_) {
      close_one(by_taken_first_[taken_first_]);
    }
  }

  bool is_gone(const Items& list, std::size_t at) const {
    return gone_[static_cast<std::size_t>(list[at])];
  }

  void close_one(Index i) {
    if (--open_[static_cast<std::size_t>(i)] == 0) ready_.push_back(i);
  }

  const std::vector<Item>& items_;
  const Items by_added_first_, by_added_last_;
  const Items by_taken_first_, by_taken_last_;
  std::size_t added_first_ = 0, added_last_ = 0;
  std::size_t taken_first_ = 0, taken_last_ = 0;
  std::vector<std::int8_t> open_;  // of add and take: how many must wait
  std::vector<bool> gone_;
  Items ready_;
};

class QueueDiscipline final : public Discipline {
 public:
  void find_conflict(const Collection& collection, Budget& budget,
                     Items& core) override {
    const auto& items = collection.items;
    // By cell: of the items added for sure by then, the one taken latest.
    latest_.assign(static_cast<std::size_t>(collection.cells), kNoIndex);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (budget.spent()) return;
      Index& latest = latest_[static_cast<std::size_t>(items[i].added.last)];
      if (latest == kNoIndex ||
          taken_first(items, latest) < items[i].taken.first) {
        latest = static_cast<Index>(i);
      }
    }
    Index latest = kNoIndex;
    Cell taken = -1;
    Cell seen = 0;  // up to this cell, excluded
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (; seen < items[i].added.first; ++seen) {
        const Index other = latest_[static_cast<std::size_t>(seen)];
        if (other == kNoIndex || taken_first(items, other) <= taken) continue;
        latest = other;
        taken = taken_first(items, other);
      }
      if (items[i].taken.last < taken) {
        core = {latest, static_cast<Index>(i)};
        return;
      }
    }
  }

  // It must be gone before any that was added later for sure is taken.
  void find_deadlines(const Collection& collection,
                      std::vector<Deadline>& deadlines) override {
    const auto& items = collection.items;
    Items least(static_cast<std::size_t>(collection.cells) + 1, kNoIndex);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].stays()) continue;
      Index& best = least[static_cast<std::size_t>(items[i].added.first)];
      best = taken_earlier(items, best, static_cast<Index>(i));
    }
    for (std::size_t c = least.size() - 1; c-- > 0;) {
      least[c] = taken_earlier(items, least[c + 1], least[c]);
    }
    for (Deadline& deadline : deadlines) {
      const Item& item = items[static_cast<std::size_t>(deadline.item)];
      const auto after = static_cast<std::size_t>(item.added.last) + 1;
      const Index by = after < least.size() ? least[after] : kNoIndex;
      if (by == kNoIndex) continue;
      const Interval taken = items[static_cast<std::size_t>(by)].taken;
      if (taken.last >= deadline.cell) continue;
      deadline = {deadline.item, taken.last, by, false, taken};
    }
  }

  // The adds and the takes come in the same order; each waits for the one
  // before it.  If that made one wait too long, then some item would precede
  // one that the order puts before it.  In a cell the adds come first.
  void place(const Collection& collection,
             std::vector<Placed>& placed) override {
    const Items order = QueueElimination(collection).run();
    std::vector<Placed> takes;
    Cell added = 0;
    Cell taken = 0;
    for (const Index index : order) {
      const Item& item = collection.items[static_cast<std::size_t>(index)];
      added = std::max(added, item.added.first);
      PLUMB_CHECK(added <= item.added.last);
      placed.push_back({item.add, added});
      if (item.stays()) continue;
      taken = std::max({taken, item.taken.first, added});
      PLUMB_CHECK(taken <= item.taken.last);
      takes.push_back({static_cast<std::uint32_t>(item.take), taken});
    }
    placed.insert(placed.end(), takes.begin(), takes.end());
  }

 private:
  static Cell taken_first(const std::vector<Item>& items, Index i) {
    return items[static_cast<std::size_t>(i)].taken.first;
  }
  // That of the two, either of which may be missing, whose take ends first.
  static Index taken_earlier(const std::vector<Item>& items, Index a, Index b) {
    if (a == kNoIndex || b == kNoIndex) return a == kNoIndex ? b : a;
    const auto last = [&](Index i) {
      return items[static_cast<std::size_t>(i)].taken.last;
    };
    return last(b) < last(a) ? b : a;
  }

  Items latest_;
};

}  // namespace

std::optional<Verdict> decide_queue(const history::History& history,
                                    const SpecialOptions& options,
                                    Budget& budget) {
  static const ContainerCodes codes({"queue", "enq", "deq"});
  QueueDiscipline discipline;
  auto verdict = decide_collection(history, options, codes, discipline, budget);
  if (verdict) return verdict;
  return decide_repeated_queue(history, codes, options, budget);
}

}  // namespace plumb::check
