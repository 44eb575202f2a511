// SPDX-License-Identifier: Apache-2.0
// What has happened since the last moment at which nothing was pending.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/numbers.h"
#include "verify/abstract_sets.h"
#include "verify/configurations.h"
#include "verify/members.h"
#include "verify/operation_logs.h"

namespace plumb::verify {

struct BusyRecord {
  struct Process {
    Status status = Status::idle();  // or pending
    LogId returned = kEmptyLog;      // its operations, one after the other
    friend bool operator==(const Process&, const Process&) = default;
  };
  SetId objects = kEmptySet;  // states of the specification at that moment
  // Operations that have returned since, sorted; or each process has its own.
  LogId returned = kEmptyLog;
  absl::InlinedVector<Process, 6> processes;

  bool is_quiescent() const;
  friend bool operator==(const BusyRecord&, const BusyRecord&) = default;
};

// Records for a number of processes, interned.
class BusyRecords final : public Members {
 public:
  // All must last.  `first`: which states of the specification go with the
  // initial state; none: its own initial one.
  BusyRecords(SpecificationGraph& graph, std::size_t processes, Budget& budget,
              std::vector<AbstractId> first = {});
  BusyRecords(const BusyRecords&) = delete;

  BusyRecord operator[](MemberId id) const;
  MemberId intern(const BusyRecord& record);
  OperationLogs& logs() { return logs_; }
  AbstractSets& objects() { return objects_; }

  // How many operations have begun in this busy period.
  std::size_t begun(const BusyRecord& record) const;

  std::size_t processes() const override { return processes_; }
  SpecificationGraph& graph() override { return graph_; }
  MemberId renamed(MemberId id, const lts::Renaming& renaming,
                   std::span<const Value> values) override;
  MemberId with_sorted_twins(MemberId id, std::uint16_t twins,
                             lts::Renaming& renaming,
                             std::span<const Value> values) override;
  std::uint64_t about(MemberId id, std::size_t process) const override;
  std::uint64_t beside(MemberId id) const override;

 private:
  SpecificationGraph& graph_;
  std::size_t processes_;
  OperationLogs logs_;
  AbstractSets objects_;
  WordLists words_;  // of each: objects, returned, then those of processes
};

}  // namespace plumb::verify
