// SPDX-License-Identifier: Apache-2.0
// A stack with distinct values.  Its history can be explained iff every value
// by itself and every empty take can (special_collection.cpp), and the values
// can be removed one by one, each when both its operations cover a cell at
// which none of those left is inside for sure [LeeMathur25].
//
// If all go: see place().  If the history can be explained, then so can what
// is left, and the value at the bottom of the stack in that explanation can go
// next: when it comes and when it goes, nothing else is inside.  So it does
// not matter which one goes first, and those left when none can go have no
// explanation among themselves.
//
// How: cells with the same values inside for ever make a segment; a counter
// for each segment; when one gets to zero, all operations that cover it are
// satisfied.  O(n log n).  Unlike the paper we leave out from the start the
// values that are never inside for sure (put and taken in one cell, they are
// in nobody's way), and settle the first round without trees.
#include <algorithm>
#include <cassert>
#include <numeric>

#include "check/special.h"
#include "check/special_collection.h"
#include "check/special_deadlines.h"
#include "check/special_repeated.h"
#include "check/special_stack_trees.h"

namespace plumb::check {

namespace {

// A value that was removed, and the cells at which it comes and goes.
struct Removed {
  Index item = 0;
  Cell come = 0;
  Cell go = 0;
};

class StackElimination {
 public:
  // Returns the items that are left.  If `removed` is given, the others are
  // appended to it in the order in which they went.
  Items run(const Collection& collection, Budget& budget,
            std::vector<Removed>* removed) {
    begin(collection);
    if (removed != nullptr) zeros_.clear(counters_.size());
    settle_first_round(removed != nullptr);
    while (!ready_.empty()) {
      if (budget.spent()) return {};
      const Index index = ready_.back();
      ready_.pop_back();
      const Spans& spans = spans_[at(index)];
      if (removed != nullptr) removed->push_back(placed(collection, index));
      waiting_[at(index)] = kGone;
      counter_tree_.decrement(at(spans.put.last + 1), at(spans.take.first - 1));
      while (counter_tree_.has_zero()) {
        const std::size_t segment = counter_tree_.find_zero();
        if (removed != nullptr) zeros_.insert(segment);
        satisfy(static_cast<Index>(segment));
      }
    }
    Items left;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (waiting_[i] != kGone) left.push_back(live_[i]);
    }
    return left;
  }

 private:
  // The segments that put and take cover; those between are where the value
  // is inside for sure.
  struct Spans {
    Interval put;
    Interval take;
  };
  static constexpr std::int8_t kGone = -1;

  void begin(const Collection& collection) {
    live_.clear();
    segment_of_.assign(at(collection.cells) + 1, 0);
    for (std::size_t i = 0; i < collection.items.size(); ++i) {
      const Item& item = collection.items[i];
      if (!item.ever_inside()) continue;
      live_.push_back(static_cast<Index>(i));
      segment_of_[at(item.added.last) + 1] = 1;
      segment_of_[at(item.taken.first)] = 1;
    }
    begins_.assign(1, 0);
    for (std::size_t c = 1; c < segment_of_.size(); ++c) {
      if (segment_of_[c] != 0) begins_.push_back(static_cast<Cell>(c));
      segment_of_[c] = static_cast<Index>(begins_.size()) - 1;
    }
    segment_of_[0] = 0;
    begins_.push_back(collection.cells + 1);
    count(collection);
  }

  void count(const Collection& collection) {
    spans_.resize(live_.size());
    counters_.assign(begins_.size() - 1, 0);
    for (std::size_t i = 0; i < live_.size(); ++i) {
      const Item& item = collection.items[at(live_[i])];
      spans_[i] = {{segment(item.added.first), segment(item.added.last)},
                   {segment(item.taken.first), segment(item.taken.last)}};
      ++counters_[at(spans_[i].put.last) + 1];
      --counters_[at(spans_[i].take.first)];
    }
    std::partial_sum(counters_.begin(), counters_.end(), counters_.begin());
  }

  Index segment(Cell cell) const { return segment_of_[at(cell)]; }

  // Satisfies what covers a zero from the start, and builds the trees for
  // the rest.
  void settle_first_round(bool keep_zeros) {
    last_zero_.resize(counters_.size());
    Index zero = kNoIndex;
    for (std::size_t s = 0; s < counters_.size(); ++s) {
      if (counters_[s] == 0) {
        zero = static_cast<Index>(s);
        if (keep_zeros) zeros_.insert(s);
      }
      last_zero_[s] = zero;
    }
    counter_tree_.build(counters_);
    waiting_.assign(live_.size(), 0);
    ready_.clear();
    // From here on: by segment, the operations that begin there.
    counters_.assign(counters_.size() + 1, 0);
    for (std::size_t i = 0; i < live_.size(); ++i) {
      // The segment after everything is a zero: what stays is satisfied.
      for (const Interval& span : {spans_[i].put, spans_[i].take}) {
        if (last_zero_[at(span.last)] >= span.first) continue;
        ++waiting_[i];
        ++counters_[at(span.first) + 1];
      }
      if (waiting_[i] == 0) ready_.push_back(static_cast<Index>(i));
    }
    std::partial_sum(counters_.begin(), counters_.end(), counters_.begin());
    sort_operations();
  }

  // The unsatisfied operations in the order of their first segments.
  void sort_operations() {
    owners_.resize(at(counters_.back()));
    lasts_.resize(owners_.size());
    ends_.assign(counters_.begin(), counters_.end());
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (waiting_[i] == 0) continue;
      for (const Interval& span : {spans_[i].put, spans_[i].take}) {
        if (last_zero_[at(span.last)] >= span.first) continue;
        const std::size_t place = at(ends_[at(span.first)]++);
        owners_[place] = static_cast<Index>(i);
        lasts_[place] = span.last;
      }
    }
    last_tree_.build(lasts_);
  }

  // `segment` is a zero now.
  void satisfy(Index segment) {
    const std::size_t end = at(ends_[at(segment)]);
    for (;;) {
      const std::size_t found = last_tree_.extract_before(end, segment);
      if (found == LargeNumberTree::kNowhere) return;
      const Index owner = owners_[found];
      if (--waiting_[at(owner)] == 0) ready_.push_back(owner);
    }
  }

  // A value comes at the last zero of its put and goes at the first zero of
  // its take: then no zero lies between, since there it is inside itself.
  Removed placed(const Collection& collection, Index index) const {
    const Spans& spans = spans_[at(index)];
    const std::size_t come = zeros_.last_up_to(at(spans.put.last));
    const std::size_t go = zeros_.first_from(at(spans.take.first));
    const Item& item = collection.items[at(live_[at(index)])];
    return {live_[at(index)], std::min(item.added.last, begins_[come + 1] - 1),
            std::max(item.taken.first, begins_[go])};
  }

  Items live_;  // the items that are inside for sure somewhere
  std::vector<Index> segment_of_;       // by cell
  std::vector<Cell> begins_;            // by segment, and one past the last
  std::vector<Spans> spans_;            // by index into live_
  std::vector<std::int32_t> counters_;  // by segment
  std::vector<Index> last_zero_;        // by segment, at the start
  std::vector<std::int8_t> waiting_;    // by index into live_: operations
  std::vector<Index> owners_, lasts_;   // of operations, by first segment
  std::vector<Index> ends_;  // by segment: one past those that begin by it
  Items ready_;              // indices into live_
  CounterTree counter_tree_;
  LargeNumberTree last_tree_;
  NumberSet zeros_;
};

class StackDiscipline final : public Discipline {
 public:
  void find_conflict(const Collection& collection, Budget& budget,
                     Items& core) override {
    core = elimination_.run(collection, budget, nullptr);
    if (budget.limit() == Limit::kNone && !core.empty()) {
      shrink(collection, budget, core);
    }
  }

  // It must be gone before any is taken that is below it for sure: added
  // before, and taken after it was added.
  void find_deadlines(const Collection& collection,
                      std::vector<Deadline>& deadlines) override {
    const auto& items = collection.items;
    Items below;  // by the end of their adds
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].stays()) below.push_back(static_cast<Index>(i));
    }
    std::sort(below.begin(), below.end(), [&](Index a, Index b) {
      return items[at(a)].added.last < items[at(b)].added.last;
    });
    auto next = below.begin();
    LeastFrom least(collection.cells + 1);
    // By the beginnings of their adds, as the items are.
    for (Deadline& deadline : deadlines) {
      const Item& item = items[at(deadline.item)];
      for (; next != below.end() &&
             items[at(*next)].added.last < item.added.first;
           ++next) {
        const Interval taken = items[at(*next)].taken;
        least.lower(taken.first, {taken.last, *next});
      }
      const auto entry = least.from(item.added.last + 1);
      if (entry.number >= deadline.cell) continue;
      deadline = {deadline.item, entry.number, entry.by, false,
                  items[at(entry.by)].taken};
    }
  }

  // In order of removal, every value comes and goes at cells between which
  // none of the earlier ones comes or goes (StackElimination::placed).  So they
  // are nested: in a cell the later ones go before the earlier ones, and come
  // after them.  A value that is inside at no cell for sure comes and goes in
  // one cell, or at the end of a cell and at the beginning of the next.
  void place(const Collection& collection,
             std::vector<Placed>& placed) override {
    Budget unlimited;
    std::vector<Removed> removed;
    elimination_.run(collection, unlimited, &removed);
    const auto& items = collection.items;
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      if (is_short(*item)) place_take(*item, item->taken.first, placed);
    }
    for (auto one = removed.rbegin(); one != removed.rend(); ++one) {
      place_take(items[at(one->item)], one->go, placed);
    }
    for (const Item& item : items) {
      if (item.added.last < item.taken.first) continue;
      placed.push_back({item.add, item.added.last});
      place_take(item, item.added.last, placed);
    }
    for (const Removed& one : removed) {
      placed.push_back({items[at(one.item)].add, one.come});
    }
    for (const Item& item : items) {
      if (is_short(item)) placed.push_back({item.add, item.added.last});
    }
  }

 private:
  // Is it put in one cell and taken in the next?
  static bool is_short(const Item& item) {
    return item.added.last + 1 == item.taken.first;
  }

  static void place_take(const Item& item, Cell cell,
                         std::vector<Placed>& placed) {
    if (item.stays()) return;
    placed.push_back({static_cast<std::uint32_t>(item.take), cell});
  }

  // How many items the tries to shrink a conflict may look at, all together.
  static constexpr std::size_t kShrinkWork = 2'000'000;

  // Cuts a conflict down to one from which no item can be left out, unless
  // that takes too long.  Items that are inside for long are the likely ones,
  // so they come first: the shortest beginning of that list that is still a
  // conflict, together with those found before, ends with one that is needed.
  void shrink(const Collection& collection, Budget& budget, Items& core) {
    const auto inside_for = [&](Index i) {
      const Item& item = collection.items[at(i)];
      return item.taken.first - item.added.last;
    };
    std::stable_sort(core.begin(), core.end(), [&](Index a, Index b) {
      return inside_for(a) > inside_for(b);
    });
    Items needed;
    work_ = kShrinkWork;
    while (!core.empty() && !is_conflict(collection, needed, {}, budget)) {
      const std::size_t size = shortest(collection, needed, core, budget);
      if (budget.limit() != Limit::kNone || work_ == 0) break;
      needed.push_back(core[size - 1]);
      core.resize(size - 1);
    }
    if (work_ > 0) core.clear();
    core.insert(core.end(), needed.begin(), needed.end());
  }

  // The size of the shortest beginning of `core` that is a conflict together
  // with `needed`: in growing steps, then by halving.
  std::size_t shortest(const Collection& collection, const Items& needed,
                       const Items& core, Budget& budget) {
    std::size_t low = 0;  // too short
    std::size_t high = 1;
    while (high < core.size() &&
           !is_conflict(collection, needed, {core.data(), high}, budget)) {
      low = high;
      high *= 2;
    }
    high = std::min(high, core.size());
    while (low + 1 < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is_conflict(collection, needed, {core.data(), middle}, budget)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  // Requires nothing of the size of the whole collection: the cells of the
  // few items are numbered anew.
  bool is_conflict(const Collection& collection, const Items& needed,
                   std::span<const Index> more, Budget& budget) {
    Collection part;
    std::vector<Cell> cells;
    const auto add = [&](Index i) {
      const Item& item = part.items.emplace_back(collection.items[at(i)]);
      for (const Interval& interval : {item.added, item.taken}) {
        cells.insert(cells.end(), {interval.first, interval.last});
      }
    };
    std::for_each(needed.begin(), needed.end(), add);
    std::for_each(more.begin(), more.end(), add);
    work_ -= std::min(work_, part.items.size());
    if (work_ == 0) return false;
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    const auto number = [&](Cell& cell) {
      cell = static_cast<Cell>(
          std::lower_bound(cells.begin(), cells.end(), cell) - cells.begin());
    };
    for (Item& item : part.items) {
      for (Interval* interval : {&item.added, &item.taken}) {
        number(interval->first);
        number(interval->last);
      }
    }
    part.cells = static_cast<Cell>(cells.size());
    return !small_.run(part, budget, nullptr).empty();
  }

  StackElimination elimination_;
  StackElimination small_;  // for shrinking
  std::size_t work_ = 0;
};

}  // namespace

std::optional<Verdict> decide_stack(const history::History& history,
                                    const SpecialOptions& options,
                                    Budget& budget) {
  static const ContainerCodes codes({"stack", "push", "pop"});
  StackDiscipline discipline;
  auto verdict = decide_collection(history, options, codes, discipline, budget);
  if (verdict) return verdict;
  return decide_repeated_stack(history, codes, options, budget);
}

}  // namespace plumb::check
