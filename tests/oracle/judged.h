// SPDX-License-Identifier: Apache-2.0
// The operations that a condition speaks about, and the order they must keep.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "check/condition.h"
#include "history/history.h"

namespace plumb::oracle {

using Sequence = std::vector<std::size_t>;  // indexes Judged::operations

struct Judged {
  std::vector<history::Operation> operations;
  std::vector<std::size_t> origin;  // of each, in the history
  // before[a][b]: if both are in the sequence, `a` comes first.
  std::vector<std::vector<bool>> before;

  std::size_t size() const { return operations.size(); }
};

Judged judged(const history::History& history, check::Order order);

// Only the operations for which `wanted` says so, by index.
Judged restricted(const Judged& all,
                  const std::function<bool(std::size_t)>& wanted);

// May `next` come directly after the operations in `taken`?
bool may_follow(const Judged& all, const std::vector<bool>& taken,
                std::size_t next);

// Have all completed operations been taken?
bool is_whole(const Judged& all, const std::vector<bool>& taken);

// Is there a sequence of all completed operations and any of the pending
// ones that keeps the order and that `accepts` takes?
bool some_sequence(const Judged& all,
                   const std::function<bool(const Sequence&)>& accepts);

}  // namespace plumb::oracle
