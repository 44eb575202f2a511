// SPDX-License-Identifier: Apache-2.0
// A priority queue with distinct values, the smallest first.  Its history can
// be explained iff every value by itself and every empty take can
// (special_collection.cpp), and every take covers a cell at which nothing
// smaller is inside for sure [GibbonsBrunoPhillips02] [LeeMathur25].
//
// We go from the smallest value up and keep the cells at which something
// smaller is inside; they only grow, so a forest of "next free cell" serves
// (path halving), where the papers use a segment tree.  Values of equal
// priority may leave in any order: all of them ask before any of them covers.
// Sorting aside, nearly linear.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/invariant.h"
#include "check/special.h"
#include "check/special_collection.h"
#include "check/special_deadlines.h"
#include "check/special_repeated.h"

namespace plumb::check {

namespace {

// The items from the smallest priority to the largest.
class Ranking {
 public:
  void build(const history::History& history, const Collection& collection) {
    const std::size_t size = collection.items.size();
    sorted_.resize(size);
    group_.resize(size);
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::vector<Value> priorities(size);
    bool integers = true;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t add = collection.items[i].add;
      priorities[i] = priority_of(history.operations[add].argument);
      integers = integers && priorities[i].is_integer();
    }
    if (!integers || !sort_by_counting(priorities)) sort(priorities, integers);
    find_groups(priorities);
  }

  const Items& sorted() const { return sorted_; }
  // Equal for items of equal priority, smaller for those of a smaller one.
  Index group(Index item) const {
    return group_[static_cast<std::size_t>(item)];
  }

 private:
  static Value at(const std::vector<Value>& values, Index i) {
    return values[static_cast<std::size_t>(i)];
  }

  // If the integers lie close together.
  bool sort_by_counting(const std::vector<Value>& priorities) {
    if (priorities.empty()) return true;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const Value priority : priorities) {
      least = std::min(least, priority.as_integer());
      greatest = std::max(greatest, priority.as_integer());
    }
    const auto range = static_cast<std::uint64_t>(greatest - least);
    if (range / 8 > priorities.size()) return false;
    Items begins(range + 2);
    const auto slot = [&](std::size_t i) {
      return static_cast<std::size_t>(priorities[i].as_integer() - least);
    };
    for (std::size_t i = 0; i < priorities.size(); ++i) ++begins[slot(i) + 1];
    for (std::size_t c = 1; c < begins.size(); ++c) begins[c] += begins[c - 1];
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      sorted_[static_cast<std::size_t>(begins[slot(i)]++)] =
          static_cast<Index>(i);
    }
    return true;
  }

  void sort(const std::vector<Value>& priorities, bool integers) {
    const auto by_number = [&](Index a, Index b) {
      return at(priorities, a).as_integer() < at(priorities, b).as_integer();
    };
    const auto by_value = [&](Index a, Index b) {
      return compare(at(priorities, a), at(priorities, b)) < 0;
    };
    if (integers) {
      std::sort(sorted_.begin(), sorted_.end(), by_number);
    } else {
      std::sort(sorted_.begin(), sorted_.end(), by_value);
    }
  }

  void find_groups(const std::vector<Value>& priorities) {
    Index group = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      if (i > 0 && compare(at(priorities, sorted_[i - 1]),
                           at(priorities, sorted_[i])) != 0) {
        ++group;
      }
      group_[static_cast<std::size_t>(sorted_[i])] = group;
    }
  }

  Items sorted_;
  Items group_;  // by item
};

// The cells that are not covered yet, from one side.
class FreeCells {
 public:
  explicit FreeCells(Cell step = 1) : step_(step) {}

  void reset(Cell cells) {
    next_.resize(static_cast<std::size_t>(cells) + 2);
    std::iota(next_.begin(), next_.end(), -1);
  }

  // The first free cell from `cell` on, or down if the step is -1; the ones
  // before and after everything, -1 and the number of cells, always are.
  Cell from(Cell cell) {
    while (next(cell) != cell) {
      next(cell) = next(next(cell));
      cell = next(cell);
    }
    return cell;
  }

  // Covers the cells after `low` and before `high`.
  void cover_between(Cell low, Cell high) {
    const bool up = step_ > 0;
    for (Cell c = from(up ? low + 1 : high - 1); low < c && c < high;
         c = from(c)) {
      next(c) = c + step_;
    }
  }

 private:
  Cell& next(Cell cell) { return next_[static_cast<std::size_t>(cell + 1)]; }

  Cell step_;
  std::vector<Cell> next_;  // itself if free
};

class PriorityQueueDiscipline final : public Discipline {
 public:
  void prepare(const history::History& history,
               const Collection& collection) override {
    ranking_.build(history, collection);
  }

  void find_conflict(const Collection& collection, Budget& budget,
                     Items& core) override {
    find_takes(collection, budget, core, nullptr);
  }

  // It must be gone when one that is larger is taken, unless that take can be
  // before it was added.
  void find_deadlines(const Collection& collection,
                      std::vector<Deadline>& deadlines) override {
    const auto& items = collection.items;
    find_free(collection);
    Items by_item(items.size(), kNoIndex);
    for (std::size_t d = 0; d < deadlines.size(); ++d) {
      by_item[static_cast<std::size_t>(deadlines[d].item)] =
          static_cast<Index>(d);
    }
    LeastFrom least(collection.cells + 1);
    const Items& sorted = ranking_.sorted();
    for (std::size_t end = sorted.size(), begin = end; end > 0; end = begin) {
      const Index group = ranking_.group(sorted[end - 1]);
      while (begin > 0 && ranking_.group(sorted[begin - 1]) == group) {
        const auto index = static_cast<std::size_t>(sorted[--begin]);
        if (by_item[index] == kNoIndex) continue;
        Deadline& deadline =
            deadlines[static_cast<std::size_t>(by_item[index])];
        const auto entry = least.from(items[index].added.last + 1);
        if (entry.number >= deadline.cell) continue;
        deadline = {deadline.item, entry.number, entry.by, false,
                    free_of_[static_cast<std::size_t>(entry.by)]};
      }
      for (std::size_t i = begin; i < end; ++i) {
        const auto index = static_cast<std::size_t>(sorted[i]);
        if (items[index].stays()) continue;
        least.lower(free_of_[index].first, {free_of_[index].last, sorted[i]});
      }
    }
  }
  bool hinders(Index other, Index item) const override {
    return ranking_.group(other) < ranking_.group(item);
  }

  // Every value is taken at the first cell of its take at which nothing
  // smaller must be inside, and added as late as possible.  In a cell come
  // first, by priority, the values taken there, each directly after its add
  // if that falls there too, and then the other adds.
  //
  // Why nothing smaller is inside when `w` leaves at cell z: let `v` be
  // smaller, and added before z.  It is not inside z for sure, so its take
  // begins by z, where nothing smaller than `v` is inside either: `v` leaves
  // at z, before `w`, or earlier.
  void place(const Collection& collection,
             std::vector<Placed>& placed) override {
    std::vector<Cell> takes(collection.items.size());
    Budget unlimited;
    Items core;
    find_takes(collection, unlimited, core, &takes);
    PLUMB_CHECK(core.empty());
    std::vector<Placed> late_adds;
    for (const Index index : ranking_.sorted()) {
      const Item& item = collection.items[static_cast<std::size_t>(index)];
      const Cell take = takes[static_cast<std::size_t>(index)];
      if (item.added.last < take) {
        late_adds.push_back({item.add, item.added.last});
      } else {
        placed.push_back({item.add, take});
      }
      if (item.stays()) continue;
      placed.push_back({static_cast<std::uint32_t>(item.take), take});
    }
    placed.insert(placed.end(), late_adds.begin(), late_adds.end());
  }

 private:
  // Fills `takes`, if given, with the first cell of each take that will do.
  void find_takes(const Collection& collection, Budget& budget, Items& core,
                  std::vector<Cell>* takes) {
    const auto& items = collection.items;
    const Items& sorted = ranking_.sorted();
    free_.reset(collection.cells);
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      const Index group = ranking_.group(sorted[begin]);
      for (end = begin;
           end < sorted.size() && ranking_.group(sorted[end]) == group; ++end) {
        if (budget.spent()) return;
        const auto index = static_cast<std::size_t>(sorted[end]);
        const Interval taken = items[index].taken;
        const Cell cell = free_.from(taken.first);
        if (cell > taken.last) {
          explain(collection, sorted[end], core);
          return;
        }
        if (takes != nullptr) (*takes)[index] = cell;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const Item& item = items[static_cast<std::size_t>(sorted[i])];
        free_.cover_between(item.added.last, item.taken.first);
      }
    }
  }

  // By item: the first and the last cell of its take at which nothing
  // smaller is inside for sure.
  void find_free(const Collection& collection) {
    const auto& items = collection.items;
    const Items& sorted = ranking_.sorted();
    free_.reset(collection.cells);
    free_down_.reset(collection.cells);
    free_of_.resize(items.size());
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      const Index group = ranking_.group(sorted[begin]);
      for (end = begin;
           end < sorted.size() && ranking_.group(sorted[end]) == group; ++end) {
        const auto index = static_cast<std::size_t>(sorted[end]);
        const Interval taken = items[index].taken;
        free_of_[index] = {free_.from(taken.first),
                           free_down_.from(taken.last)};
      }
      for (std::size_t i = begin; i < end; ++i) {
        const Item& item = items[static_cast<std::size_t>(sorted[i])];
        free_.cover_between(item.added.last, item.taken.first);
        free_down_.cover_between(item.added.last, item.taken.first);
      }
    }
  }

  void explain(const Collection& collection, Index index, Items& core) const {
    core = {index};
    const Index group = ranking_.group(index);
    const auto smaller = [&](Index i) { return ranking_.group(i) < group; };
    add_cover(collection,
              collection.items[static_cast<std::size_t>(index)].taken, smaller,
              core);
  }

  Ranking ranking_;
  FreeCells free_;
  FreeCells free_down_{-1};
  std::vector<Interval> free_of_;  // by item
};

}  // namespace

std::optional<Verdict> decide_priority_queue(const history::History& history,
                                             const SpecialOptions& options,
                                             Budget& budget) {
  static const ContainerCodes codes({"priority_queue", "insert", "remove_min"});
  PriorityQueueDiscipline discipline;
  auto verdict = decide_collection(history, options, codes, discipline, budget);
  if (verdict) return verdict;
  return decide_repeated_priority_queue(history, codes, options, budget);
}

}  // namespace plumb::check
