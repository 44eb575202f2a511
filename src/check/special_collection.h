// SPDX-License-Identifier: Apache-2.0
// What the special deciders of queue, stack and priority queue share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "check/special.h"
#include "check/special_common.h"
#include "check/verdict.h"
#include "history/history.h"

namespace plumb::check {

// A value that was added once, and perhaps taken once.
// Invariant (the intervals are tightened): added.last <= taken.last and
// added.first <= taken.first, since it is added before it is taken.
struct Item {
  Interval added;
  Interval taken;                // both Collection::cells if it stays
  std::uint32_t add = 0;         // operations
  std::int32_t take = kNoIndex;  // kNoIndex: it stays

  bool stays() const { return take == kNoIndex; }
  // The cells at which it is inside for sure: from `added.last` to
  // `taken.first`, both excluded.  At these two something can happen before
  // it comes or after it went.
  bool inside(Cell cell) const {
    return added.last < cell && cell < taken.first;
  }
  bool ever_inside() const { return added.last + 1 < taken.first; }
};

// A take that found nothing, or of which nobody knows what it found.
struct Take {
  std::uint32_t operation = 0;
  Interval when;
};

// A history of a container, by values.
struct Collection {
  Cell cells = 0;
  // In the order of the invocations of their adds, except for what place() of
  // a discipline gets.
  std::vector<Item> items;
  std::vector<Take> empty_takes;
  std::vector<Take> pending_takes;  // in the order of their invocations
};

// Indices into Collection::items.
using Items = std::vector<std::int32_t>;

// By when an item that stays must be gone: its take, by a pending one, must
// begin by `cell`.  Else `because` cannot be explained, a take that can take
// effect only at cells from free.first to free.last; at the others of its
// interval something else is in its way.
struct Deadline {
  std::int32_t item = kNoIndex;
  Cell cell = 0;                    // Collection::cells: it may stay
  std::int32_t because = kNoIndex;  // an item, or one of the empty takes
  bool by_empty_take = false;
  Interval free;
};

// In what the containers differ: which value leaves next.
class Discipline {
 public:
  virtual ~Discipline() = default;

  // Called once, before all else: the items are known, and will stay.
  virtual void prepare(const history::History&, const Collection&) {}

  // Fills `core` with items that cannot be explained together, whatever the
  // others do; leaves it empty if all items can.  Empty takes do not count.
  // If the budget is spent, what `core` holds means nothing.
  virtual void find_conflict(const Collection& collection, Budget& budget,
                             Items& core) = 0;

  // Lowers the deadlines, one for each item that stays, to what the takes of
  // the others need.  No explanation has a later take; there may be none that
  // has all of these.  Items that stay may have a `taken` that begins early:
  // as early as any pending take could take them.
  // Requires: find_conflict() finds nothing.
  virtual void find_deadlines(const Collection& collection,
                              std::vector<Deadline>& deadlines) = 0;
  // Must `other` not be inside when `item` is taken?
  virtual bool hinders(std::int32_t /*other*/, std::int32_t /*item*/) const {
    return false;
  }

  // Appends all operations of the items, each with a cell of its interval, so
  // that ordered_by_cell() gives an order that the container accepts, and in
  // which nothing is inside after the last operation of a cell at which
  // nothing has to be.  Requires: find_conflict() finds nothing.
  virtual void place(const Collection& collection,
                     std::vector<Placed>& placed) = 0;
};

// The names of a container and of its two operations.
struct ContainerNames {
  std::string_view object;
  std::string_view add;
  std::string_view take;
};

struct ContainerCodes {
  explicit ContainerCodes(const ContainerNames& names)
      : add(code_of(names.object, names.add)),
        take(code_of(names.object, names.take)) {}
  std::uint16_t add;
  std::uint16_t take;
};

std::optional<Verdict> decide_collection(const history::History& history,
                                         const SpecialOptions& options,
                                         const ContainerCodes& codes,
                                         Discipline& discipline,
                                         Budget& budget);

// Adds to `core` as few of `candidates` as leave no cell of `interval` without
// one that is inside for sure.  Requires: all of them together do so.
void add_cover_of(const Collection& collection, Interval interval,
                  Items candidates, Items& core);

// The same with all items for which `counts(index)` as candidates.
template <typename Counts>
void add_cover(const Collection& collection, Interval interval,
               const Counts& counts, Items& core) {
  Items candidates;
  for (std::size_t i = 0; i < collection.items.size(); ++i) {
    const Item& item = collection.items[i];
    const auto index = static_cast<std::int32_t>(i);
    if (item.ever_inside() && item.added.last < interval.last &&
        item.taken.first > interval.first && counts(index)) {
      candidates.push_back(index);
    }
  }
  add_cover_of(collection, interval, std::move(candidates), core);
}

}  // namespace plumb::check
