// SPDX-License-Identifier: Apache-2.0
// Sets of states of the specification, and what operations make of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "base/numbers.h"
#include "lts/symmetry.h"
#include "verify/configuration_sets.h"
#include "verify/operation_logs.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

// Sets of AbstractId.
class AbstractSets {
 public:
  // All must last.  One question can take long, so it looks at the budget.
  AbstractSets(SpecificationGraph& graph, OperationLogs& logs, Budget& budget);
  AbstractSets(const AbstractSets&) = delete;

  SetId initial() const { return initial_; }
  SetId intern(std::vector<AbstractId>& states) { return sets_.intern(states); }
  std::span<const AbstractId> operator[](SetId set) const { return sets_[set]; }
  bool is_subset(SetId part, SetId whole) const {
    return sets_.is_subset(part, whole);
  }

  // May a history end in one of these states?
  bool some_may_end(SetId set) {
    return std::ranges::any_of(
        sets_[set], [&](AbstractId state) { return graph_.may_end(state); });
  }

  // All states that some order of the operations of `sequences` leads to from
  // some state of `from`; each sequence keeps its own order.  Nothing if the
  // budget is spent.
  std::optional<SetId> after(SetId from, std::vector<LogId> sequences);
  // The same for a sorted log, whose operations may come in any order.
  std::optional<SetId> after_any_order(SetId from, LogId log);

  // By other names of the interchangeable `values`.
  SetId renamed(SetId set, std::span<const Value> values,
                lts::Permutation permutation);

 private:
  std::optional<SetId> after_one(SetId from, OperationId operation);

  SpecificationGraph& graph_;
  OperationLogs& logs_;
  Budget& budget_;
  ConfigurationSets sets_;
  SetId initial_;
  // What was asked: the set, then the sequences; and the answers to that.
  WordLists questions_;
  std::vector<std::optional<SetId>> answers_;
  FlatMap<std::uint64_t, SetId> steps_;
  FlatMap<std::pair<SetId, std::uint64_t>, SetId> renamings_;
};

}  // namespace plumb::verify
