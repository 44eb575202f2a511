// SPDX-License-Identifier: Apache-2.0
#include "check/special_collection.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "check/special_deadlines.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

// Turns a history into a Collection, and finds what is wrong with single
// values: taken but never added, taken twice, taken before it was added.
class Gathering {
 public:
  Gathering(const History& history, const ContainerCodes& codes, bool blocking)
      : history_(history), timeline_(history), codes_(codes) {
    blocking_ = blocking;
  }

  // False if a value was added twice, or if the budget is spent.
  bool gather(Budget& budget, Collection& out) {
    if (!announce(budget)) return false;
    out.cells = timeline_.cells();
    out.items.reserve(adds_);
    for (std::uint32_t i = 0; i < history_.size(); ++i) {
      if (budget.spent()) return false;
      if (history_.operations[i].code == codes_.add) {
        if (!gather_add(i, out)) return false;
      } else {
        gather_take(i, out);
      }
    }
    for (const std::uint32_t i : early_takes_) {
      const std::int32_t item = table_.find(history_.operations[i].result);
      if (item == kNoIndex) {
        report({i});
      } else {
        match(i, out.items[static_cast<std::size_t>(item)]);
      }
    }
    return true;
  }

  // Empty if nothing is wrong.
  const Core& core() const { return core_; }

 private:
  bool announce(Budget& budget) {
    for (const Operation& operation : history_.operations) {
      if (budget.spent()) return false;
      if (operation.code != codes_.add) continue;
      // A take of null would look as if it had found nothing.
      if (operation.argument.is_null()) return false;
      table_.expect(operation.argument);
      ++adds_;
    }
    table_.prepare();
    return true;
  }

  // A pending add whose value nobody took takes effect after everything, where
  // it is in nobody's way.
  bool gather_add(std::uint32_t i, Collection& out) {
    const Operation& operation = history_.operations[i];
    std::int32_t& index = table_[operation.argument];
    if (index != kNoIndex) return false;
    index = static_cast<std::int32_t>(out.items.size());
    Item& item = out.items.emplace_back();
    item.add = i;
    item.added = timeline_[i];
    item.taken = {out.cells, out.cells};
    return true;
  }

  void gather_take(std::uint32_t i, Collection& out) {
    const Operation& operation = history_.operations[i];
    if (operation.pending()) {
      out.pending_takes.push_back({i, timeline_[i]});
    } else if (operation.result.is_null()) {
      if (blocking_) report({i});
      out.empty_takes.push_back({i, timeline_[i]});
    } else if (const std::int32_t item = table_.find(operation.result);
               item == kNoIndex) {
      early_takes_.push_back(i);
    } else {
      match(i, out.items[static_cast<std::size_t>(item)]);
    }
  }

  void match(std::uint32_t i, Item& item) {
    if (item.take != kNoIndex) {
      report({item.add, static_cast<std::uint32_t>(item.take), i});
      return;
    }
    const Interval when = timeline_[i];
    if (when.last < item.added.first) report({item.add, i});
    item.take = static_cast<std::int32_t>(i);
    item.taken = {std::max(when.first, item.added.first), when.last};
    item.added.last = std::min(item.added.last, when.last);
  }

  void report(Core core) {
    if (core_.empty()) core_ = std::move(core);
  }

  const History& history_;
  const Timeline timeline_;
  const ContainerCodes& codes_;
  bool blocking_ = false;
  ValueTable table_;
  std::size_t adds_ = 0;
  std::vector<std::uint32_t> early_takes_;  // of values that came no add yet
  Core core_;
};

// By cell: the last one up to it at which nothing is inside for sure, -1 if
// there is none.  The difference array and its sum use the same memory.
std::vector<Cell> last_free_cells(const Collection& collection) {
  std::vector<Cell> cells(static_cast<std::size_t>(collection.cells) + 1);
  for (const Item& item : collection.items) {
    if (!item.ever_inside()) continue;
    ++cells[static_cast<std::size_t>(item.added.last) + 1];
    --cells[static_cast<std::size_t>(item.taken.first)];
  }
  std::int32_t inside = 0;
  Cell free = -1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    inside += cells[c];
    if (inside == 0) free = static_cast<Cell>(c);
    cells[c] = free;
  }
  return cells;
}

// Which operations cannot be explained, by items and empty takes.
struct Conflict {
  Items items;
  Core empty_takes;
  bool none() const { return items.empty() && empty_takes.empty(); }
};

// Searches for the values that pending takes took.
//
// First none takes effect.  If that leaves a conflict, then in every
// explanation a pending take removes one of the values of the conflict that
// stay: else the explanation, cut down to the conflict, would explain it.  So
// we try these values in turn, each with every pending take; once a value
// has been tried with all of them, it is known to stay.  For one value a take
// that was invoked earlier allows more.
//
// That can take long when many takes are pending, so before it comes a guess,
// which is right if the values that pending takes must have taken have
// deadlines that do not depend on each other.
//
// LIMIT: after a number of tries that depends on the size of the history the
// search gives up, and what decides repeated values must decide.
class Explanation {
 public:
  Explanation(Collection& collection, Discipline& discipline, Budget& budget)
      : collection_(collection),
        discipline_(discipline),
        budget_(budget),
        used_(collection.pending_takes.size()),
        known_to_stay_(
            collection.pending_takes.empty() ? 0 : collection.items.size()) {
    const std::size_t size = collection.items.size() + 1;
    tries_ = std::clamp<std::size_t>(kWork / size, kLeastTries, kMostTries);
  }

  // Leaves the values that pending takes removed marked as taken.
  bool exists() {
    const Conflict conflict = find_conflict();
    if (conflict.none()) return true;
    if (!collection_.pending_takes.empty() && meets_deadlines()) return true;
    if (impossible_ || stopped()) return false;
    if (guess(conflict)) return true;
    return !impossible_ && !stopped() && resolve(conflict);
  }
  // Has the search been given up?
  bool stopped() const { return gave_up_ || budget_.limit() != Limit::kNone; }

  // If there is none: the operations of all conflicts met on the way.  Each
  // try failed because of one of them, so no explanation of these operations
  // alone exists either, nor of them and any of the others: an explanation
  // of more values, cut down to fewer of them, explains these.
  Core core() const { return core_; }

 private:
  static constexpr std::size_t kWork = 4'000'000;
  static constexpr std::size_t kLeastTries = 24;
  static constexpr std::size_t kMostTries = 1'000;

  Conflict find_conflict() {
    if (tries_-- == 0) {
      gave_up_ = true;
      tries_ = 1;
      return {{0}, {}};
    }
    Conflict conflict;
    if (!find_empty_conflict(conflict)) {
      discipline_.find_conflict(collection_, budget_, conflict.items);
    }
    return conflict;
  }

  // A take can find nothing iff at some cell of it nothing is inside for
  // sure.  That is independent of what the discipline asks: the history falls
  // apart there into the values before and those after, and neither part
  // loses freedom that it needs [HenzingerSezginVafeiadis13].
  bool find_empty_conflict(Conflict& conflict) {
    if (collection_.empty_takes.empty()) return false;
    const std::vector<Cell> free = last_free_cells(collection_);
    for (const Take& take : collection_.empty_takes) {
      const Interval when = take.when;
      if (free[static_cast<std::size_t>(when.last)] >= when.first) continue;
      conflict.empty_takes = {take.operation};
      const auto any = [](std::int32_t) { return true; };
      add_cover(collection_, when, any, conflict.items);
      return true;
    }
    return false;
  }

  // Lets the earliest pending take take every value that stays, as soon as it
  // can; a value that may stay can as well be taken when all is over.  What
  // cannot be explained even so has no explanation.  Else it tells by when
  // each of them must be gone, whatever becomes of the others; if more must be
  // gone by some cell than takes have begun there is no explanation either.
  // And mostly there is one with these deadlines and the takes given out by
  // them, which is tried.
  bool meets_deadlines() {
    const std::vector<Item> saved = collection_.items;
    std::vector<Deadline> deadlines;
    const Cell earliest = collection_.pending_takes.front().when.first;
    for (std::size_t i = 0; i < saved.size(); ++i) {
      if (!saved[i].stays()) continue;
      Deadline& deadline = deadlines.emplace_back();
      deadline.item = static_cast<std::int32_t>(i);
      deadline.cell = collection_.cells;
      collection_.items[i].taken.first =
          std::max(earliest, saved[i].added.first);
    }
    const Conflict conflict = find_conflict();
    if (stopped()) return false;
    if (!conflict.none()) {
      impossible_ = true;
      add_to_core(conflict);
      return false;
    }
    discipline_.find_deadlines(collection_, deadlines);
    find_deadlines_of_empty_takes(collection_, deadlines);
    const std::vector<Item> early = std::exchange(collection_.items, saved);
    std::vector<Deadline> too_many;
    if (check::give_out_takes(collection_, deadlines, too_many)) {
      if (find_conflict().none() && !stopped()) return true;
    } else {
      impossible_ = true;
      collection_.items = early;
      for (const Deadline& one : too_many) add_reason(one);
    }
    collection_.items = saved;
    return false;
  }

  // Why the item must be gone by its deadline.
  void add_reason(const Deadline& deadline) {
    Conflict reason;
    reason.items.push_back(deadline.item);
    Interval when;
    if (deadline.by_empty_take) {
      const Take& take =
          collection_.empty_takes[static_cast<std::size_t>(deadline.because)];
      reason.empty_takes.push_back(take.operation);
      when = take.when;
    } else {
      reason.items.push_back(deadline.because);
      when =
          collection_.items[static_cast<std::size_t>(deadline.because)].taken;
    }
    const auto in_its_way = [&](std::int32_t i) {
      return deadline.by_empty_take || discipline_.hinders(i, deadline.because);
    };
    const Cell before = deadline.free.first - 1;
    const Cell after = deadline.free.last + 1;
    for (const Interval& part :
         {Interval{when.first, before}, Interval{after, when.last}}) {
      if (part.first > part.last) continue;
      add_cover(collection_, part, in_its_way, reason.items);
    }
    add_to_core(reason);
  }

  // A value that a pending take is thought to have taken.
  struct Guess {
    std::int32_t index = kNoIndex;
    Item saved;
    std::size_t takes = 0;  // so many, from the earliest on, come in time
  };

  // Lets the earliest pending take take all values that must be gone, finds
  // for each how late its take may be if that of the others stays so early,
  // and gives out the takes by these deadlines.
  //
  // While each conflict leaves one value that can be taken, these values must
  // be taken.  If there are more of them than takes, or if with such early
  // takes for all of them a conflict of taken values remains, then there is
  // no explanation.
  bool guess(Conflict conflict) {
    std::vector<Guess> guesses;
    std::vector<Conflict> conflicts;
    bool forced = true;
    while (!conflict.none() && !stopped()) {
      conflicts.push_back(conflict);
      const auto can_be = [&](std::int32_t i) { return can_be_taken(i); };
      const auto& items = conflict.items;
      const auto stays = std::find_if(items.begin(), items.end(), can_be);
      const auto choices = std::count_if(items.begin(), items.end(), can_be);
      forced = forced && choices <= 1;
      if (choices == 0 || guesses.size() == used_.size()) {
        impossible_ = forced;
        break;
      }
      guesses.push_back({*stays, take(*stays, 0), 0});
      conflict = find_conflict();
    }
    if (conflict.none() && give_out_takes(guesses)) return true;
    for (const Guess& one : guesses) {
      collection_.items[static_cast<std::size_t>(one.index)] = one.saved;
    }
    if (impossible_) {
      for (const Conflict& one : conflicts) add_to_core(one);
    }
    return false;
  }

  bool give_out_takes(std::vector<Guess>& guesses) {
    for (Guess& one : guesses) one.takes = count_in_time(one);
    std::stable_sort(
        guesses.begin(), guesses.end(),
        [](const Guess& a, const Guess& b) { return a.takes < b.takes; });
    for (std::size_t t = 0; t < guesses.size(); ++t) {
      take(guesses[t].index, t);
    }
    return find_conflict().none() && !stopped();
  }

  std::size_t count_in_time(const Guess& one) {
    std::size_t low = 1;  // the earliest is in time
    std::size_t high = used_.size();
    while (low < high && !stopped()) {
      const std::size_t middle = low + (high - low) / 2;
      take(one.index, middle);
      if (find_conflict().none()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    take(one.index, 0);
    return low;
  }

  bool can_be_taken(std::int32_t index) const {
    return !collection_.pending_takes.empty() &&
           collection_.items[static_cast<std::size_t>(index)].stays() &&
           !known_to_stay_[static_cast<std::size_t>(index)];
  }

  // Some values of the conflict must have been taken.
  bool resolve(const Conflict& conflict) {
    Items tried;
    bool found = false;
    for (const std::int32_t index : conflict.items) {
      if (!can_be_taken(index)) continue;
      found = take_by_any(index);
      if (found || stopped()) break;
      known_to_stay_[static_cast<std::size_t>(index)] = true;
      tried.push_back(index);
    }
    for (const std::int32_t index : tried) {
      known_to_stay_[static_cast<std::size_t>(index)] = false;
    }
    if (!found) add_to_core(conflict);
    return found;
  }

  bool search() {
    const Conflict conflict = find_conflict();
    return conflict.none() || (!stopped() && resolve(conflict));
  }

  // Later takes first: they are of less use to the other values.
  bool take_by_any(std::int32_t index) {
    for (std::size_t t = count_useful(index); t-- > 0 && !stopped();) {
      if (used_[t] || same_as_unused_before(t)) continue;
      used_[t] = true;
      const Item saved = take(index, t);
      if (search()) return true;
      collection_.items[static_cast<std::size_t>(index)] = saved;
      used_[t] = false;
    }
    return false;
  }

  // How many of the pending takes, from the earliest on, are not already too
  // late for this value, whatever else happens.
  std::size_t count_useful(std::int32_t index) {
    std::size_t low = 0;
    std::size_t high = used_.size();
    while (low < high && !stopped()) {
      const std::size_t middle = low + (high - low) / 2;
      if (too_late(index, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // If all values of the conflict that remains are taken, then it remains for
  // a later take as well.
  bool too_late(std::int32_t index, std::size_t t) {
    const Item saved = take(index, t);
    const Conflict conflict = find_conflict();
    collection_.items[static_cast<std::size_t>(index)] = saved;
    const bool hopeless =
        !conflict.none() && !stopped() &&
        std::none_of(
            conflict.items.begin(), conflict.items.end(),
            [&](std::int32_t i) { return i != index && can_be_taken(i); });
    if (hopeless) add_to_core(conflict);
    return hopeless;
  }

  bool same_as_unused_before(std::size_t t) const {
    return t > 0 && !used_[t - 1] &&
           collection_.pending_takes[t - 1].when.first ==
               collection_.pending_takes[t].when.first;
  }

  // Returns what the item was before.
  Item take(std::int32_t index, std::size_t t) {
    Item& item = collection_.items[static_cast<std::size_t>(index)];
    const Item saved = item;
    const Take& by = collection_.pending_takes[t];
    item.take = static_cast<std::int32_t>(by.operation);
    item.taken = {std::max(by.when.first, item.added.first), by.when.last};
    return saved;
  }

  // Pending takes stay out: they explain nothing.
  void add_to_core(const Conflict& conflict) {
    core_.insert(core_.end(), conflict.empty_takes.begin(),
                 conflict.empty_takes.end());
    for (const std::int32_t index : conflict.items) {
      const Item& item = collection_.items[static_cast<std::size_t>(index)];
      core_.push_back(item.add);
      if (!item.stays() && !taken_by_pending(item)) {
        core_.push_back(static_cast<std::uint32_t>(item.take));
      }
    }
  }

  bool taken_by_pending(const Item& item) const {
    const auto& takes = collection_.pending_takes;
    return std::any_of(takes.begin(), takes.end(), [&](const Take& take) {
      return take.operation == static_cast<std::uint32_t>(item.take);
    });
  }

  Collection& collection_;
  Discipline& discipline_;
  Budget& budget_;
  std::vector<bool> used_;           // by pending take
  std::vector<bool> known_to_stay_;  // by item; empty if nothing is pending
  std::size_t tries_ = 0;
  bool gave_up_ = false;
  bool impossible_ = false;  // guess() has shown that there is none
  Core core_;
};

// The cells at which empty takes find nothing, and who does so there.
class Cuts {
 public:
  explicit Cuts(const Collection& collection) {
    if (collection.empty_takes.empty()) return;
    const std::vector<Cell> free = last_free_cells(collection);
    for (const Take& take : collection.empty_takes) {
      const Cell at = free[static_cast<std::size_t>(take.when.last)];
      PLUMB_CHECK(at >= take.when.first);
      takes_.push_back({take.operation, at});
      cells_.push_back(at);
    }
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
  }

  // The same collection with every cut cell doubled: before the empty takes
  // and after them.  An item that can be gone by then goes before, the others
  // come after.  No interval becomes empty, and each that is clipped still
  // has the cut cell, at which nothing has to be inside: so the conditions of
  // all disciplines stay true.
  Collection apply(const Collection& collection) const {
    Collection cut;
    cut.cells = collection.cells + static_cast<Cell>(cells_.size());
    cut.items = collection.items;
    for (Item& item : cut.items) {
      const std::size_t before = count_before(item.taken.first);
      const Cell low = before == 0 ? 0 : cells_[before - 1];
      const Cell high =
          before == cells_.size() ? collection.cells : cells_[before];
      for (Interval* interval : {&item.added, &item.taken}) {
        const Cell shift = static_cast<Cell>(before);
        interval->first = std::clamp(interval->first, low, high) + shift;
        interval->last = std::clamp(interval->last, low, high) + shift;
      }
    }
    return cut;
  }

  void place_empty_takes(std::vector<Placed>& placed) const {
    for (const Placed& take : takes_) {
      const auto shift = static_cast<Cell>(count_before(take.cell));
      placed.push_back({take.operation, take.cell + shift});
    }
  }

 private:
  std::size_t count_before(Cell cell) const {
    return static_cast<std::size_t>(
        std::lower_bound(cells_.begin(), cells_.end(), cell) - cells_.begin());
  }

  std::vector<Cell> cells_;    // sorted, each once
  std::vector<Placed> takes_;  // cells as in the collection that is cut
};

std::vector<std::uint32_t> find_order(const Collection& collection,
                                      Discipline& discipline) {
  const Cuts cuts(collection);
  const Collection cut = cuts.apply(collection);
  std::vector<Placed> placed;
  placed.reserve(2 * cut.items.size() + collection.empty_takes.size());
  discipline.place(cut, placed);
  cuts.place_empty_takes(placed);
  return ordered_by_cell(placed, cut.cells);
}

}  // namespace

void add_cover_of(const Collection& collection, Interval interval,
                  Items candidates, Items& core) {
  const auto item = [&](std::int32_t i) -> const Item& {
    return collection.items[static_cast<std::size_t>(i)];
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](std::int32_t a, std::int32_t b) {
              return item(a).added.last < item(b).added.last;
            });
  // Greedy: of those inside at the first open cell, the one that stays longest.
  Cell open = interval.first;
  std::int32_t best = kNoIndex;
  auto next = candidates.begin();
  while (open <= interval.last) {
    for (; next != candidates.end() && item(*next).added.last < open; ++next) {
      if (best == kNoIndex ||
          item(*next).taken.first > item(best).taken.first) {
        best = *next;
      }
    }
    PLUMB_CHECK(best != kNoIndex && item(best).inside(open));
    core.push_back(best);
    open = item(best).taken.first;
  }
}

std::optional<Verdict> decide_collection(const History& history,
                                         const SpecialOptions& options,
                                         const ContainerCodes& codes,
                                         Discipline& discipline,
                                         Budget& budget) {
  Collection collection;
  {
    Gathering gathering(history, codes, options.blocking);
    if (!gathering.gather(budget, collection)) {
      if (budget.limit() != Limit::kNone) return stopped(budget);
      return std::nullopt;
    }
    if (!gathering.core().empty()) return violated_by(gathering.core());
  }
  discipline.prepare(history, collection);
  Explanation explanation(collection, discipline, budget);
  const bool found = explanation.exists();
  if (budget.limit() != Limit::kNone) return stopped(budget);
  if (explanation.stopped()) return std::nullopt;
  if (!found) return violated_by(explanation.core());
  Verdict verdict;
  verdict.answer = Answer::kHolds;
  if (options.want_order) verdict.order = find_order(collection, discipline);
  return verdict;
}

}  // namespace plumb::check
