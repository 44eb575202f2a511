// SPDX-License-Identifier: Apache-2.0
// By when values must be gone that no completed take returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/special_collection.h"
#include "check/special_common.h"

namespace plumb::check {

// For each key a number, all large at first: the least one of the keys from
// some key on.  A Fenwick tree.
class LeastFrom {
 public:
  struct Entry {
    Cell number = std::numeric_limits<Cell>::max();
    std::int32_t by = kNoIndex;
  };

  explicit LeastFrom(Cell keys) : tree_(static_cast<std::size_t>(keys) + 1) {}

  void lower(Cell key, const Entry& entry) {
    for (std::size_t i = place(key); i < tree_.size(); i += i & (~i + 1)) {
      if (entry.number < tree_[i].number) tree_[i] = entry;
    }
  }
  Entry from(Cell key) const {
    Entry least;
    if (static_cast<std::size_t>(key) + 1 >= tree_.size()) return least;
    for (std::size_t i = place(key); i > 0; i -= i & (~i + 1)) {
      if (tree_[i].number < least.number) least = tree_[i];
    }
    return least;
  }

 private:
  // From the end, counted from 1.
  std::size_t place(Cell key) const {
    return tree_.size() - 1 - static_cast<std::size_t>(key);
  }
  std::vector<Entry> tree_;
};

// Lowers the deadlines to what the empty takes need: each needs a cell at
// which nothing is inside.
void find_deadlines_of_empty_takes(const Collection& collection,
                                   std::vector<Deadline>& deadlines);

// Gives pending takes to the items that stay and must be gone: by their
// deadlines, the earliest first.  Answers whether each gets one in time, and
// sets the `taken` and `take` of those items; if not, `too_many` gets those
// with the earliest deadlines, one more than there are takes in time.
bool give_out_takes(Collection& collection, std::vector<Deadline> deadlines,
                    std::vector<Deadline>& too_many);

}  // namespace plumb::check
