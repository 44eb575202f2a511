// SPDX-License-Identifier: Apache-2.0
// What the special deciders share: cells of time, tables of values, orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "base/value.h"
#include "check/verdict.h"
#include "history/history.h"

namespace plumb::check {

// Time as the special deciders see it.  An operation takes effect at a point
// of its closed interval [invoked, returned], and several may do so at the
// same point, in any order.  If an order of operations keeps real time, then
// each can take effect at the latest invocation of those up to it.  So only
// the moments of invocations matter: these, numbered from 0, are the cells.
// An operation covers the cells `first` to `last`; `a` precedes `b` iff
// a.last < b.first.  This halves the length of all arrays over time, and it
// makes them short for a history that is a small part of a large one.
using Cell = std::int32_t;

struct Interval {
  Cell first = 0;
  Cell last = 0;
};

// Of an operation, a value, a cell's neighbour, ... ; kNoIndex is none.
using Index = std::int32_t;
inline constexpr Index kNoIndex = -1;
inline std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

// The numbers of operations that prove a violation.
using Core = std::vector<std::uint32_t>;

// Of an item of a priority queue, which is itself or [priority, item].
Value priority_of(Value item);

class Timeline {
 public:
  explicit Timeline(const history::History& history);

  // How many cells there are; this is also a cell after everything.
  Cell cells() const { return cells_; }
  // A pending operation covers all cells from its invocation on.
  Interval operator[](std::size_t operation) const {
    return intervals_[operation];
  }

 private:
  void find_last_cells_by_table(const history::History& history);
  void find_last_cells_by_search(const history::History& history);

  std::vector<Interval> intervals_;
  Cell cells_ = 0;
};

// Maps values to indices.  Integers that lie close together, the usual case,
// index an array; all else goes through a hash table.
class ValueTable {
 public:
  // Announces a value that will be stored.
  void expect(Value value) {
    ++expected_;
    if (!value.is_integer()) {
      only_integers_ = false;
      return;
    }
    const std::int64_t number = value.as_integer();
    if (number < least_) least_ = number;
    if (number > greatest_) greatest_ = number;
  }
  // Requires: every value that will be stored was announced.
  void prepare();

  // The index of `value`, kNoIndex if there is none.
  std::int32_t find(Value value) const {
    if (!direct_) {
      const auto found = hashed_.find(value);
      return found == hashed_.end() ? kNoIndex : found->second;
    }
    if (!value.is_integer()) return kNoIndex;
    const std::int64_t number = value.as_integer();
    if (number < least_ || number > greatest_) return kNoIndex;
    return slots_[static_cast<std::size_t>(number - least_)];
  }
  // The place for the index of an announced value.
  std::int32_t& operator[](Value value) {
    if (!direct_) return hashed_.try_emplace(value, kNoIndex).first->second;
    return slots_[static_cast<std::size_t>(value.as_integer() - least_)];
  }

 private:
  FlatMap<Value, std::int32_t> hashed_;
  std::vector<std::int32_t> slots_;  // by value - least_
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest_ = std::numeric_limits<std::int64_t>::min();
  std::size_t expected_ = 0;
  bool only_integers_ = true;
  bool direct_ = false;
};

// An operation, and the cell at which it takes effect.
struct Placed {
  std::uint32_t operation = 0;
  Cell cell = 0;
};

// The operations by cell, and as they stand in `placed` within one cell.
// Requires: all cells are below `cells`.
std::vector<std::uint32_t> ordered_by_cell(std::span<const Placed> placed,
                                           Cell cells);

// The code of an operation of a built-in object.
std::uint16_t code_of(std::string_view object, std::string_view operation);

Verdict violated_by(std::vector<std::uint32_t> core);
Verdict stopped(const Budget& budget);

}  // namespace plumb::check
