// SPDX-License-Identifier: Apache-2.0
// Sequences of operations that have returned, interned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_table.h"
#include "lts/symmetry.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

using OperationId = std::uint32_t;  // a call with its result
using LogId = std::uint32_t;        // a sequence of operations
inline constexpr LogId kEmptyLog = 0;

// A sequence is the one without its last operation, and that operation: what
// has the same beginning shares it.
class OperationLogs {
 public:
  // Of a call that has not returned: whatever it may give.
  static constexpr ResultId kAnyResult = UINT32_MAX;

  // `graph` must last.
  explicit OperationLogs(SpecificationGraph& graph);
  OperationLogs(const OperationLogs&) = delete;

  struct Operation {
    CallId call;
    ResultId result;
  };
  OperationId operation(const Operation& operation);
  const Operation& operator[](OperationId id) const { return operations_[id]; }

  LogId extended(LogId log, OperationId last);
  // Where the order does not matter: sequences that are sorted stay so.
  LogId inserted(LogId sorted, OperationId operation);
  std::size_t length(LogId log) const { return logs_[log].length; }
  // Requires, both: it is not empty.
  OperationId last(LogId log) const { return logs_[log].last; }
  LogId shortened(LogId log) const { return logs_[log].before; }

  // By other names of the interchangeable `values`.
  LogId renamed(LogId log, std::span<const Value> values,
                lts::Permutation permutation);
  LogId sorted(LogId log);

 private:
  struct Log {
    LogId before;
    OperationId last;
    std::uint32_t length;
  };

  std::vector<OperationId> operations_of(LogId log) const;
  LogId sorted(std::vector<OperationId> operations);

  SpecificationGraph& graph_;
  std::vector<Operation> operations_;
  FlatMap<std::uint64_t, OperationId> operation_ids_;
  std::vector<Log> logs_;
  FlatMap<std::uint64_t, LogId> log_ids_;
};

}  // namespace plumb::verify
