// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_logs.h"

#include <algorithm>

namespace plumb::verify {
namespace {

std::uint64_t both(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32 | b;
}

}  // namespace

OperationLogs::OperationLogs(SpecificationGraph& graph) : graph_(graph) {
  logs_.push_back({kEmptyLog, 0, 0});
}

OperationId OperationLogs::operation(const Operation& operation) {
  const auto next = static_cast<OperationId>(operations_.size());
  const auto [entry, is_new] =
      operation_ids_.try_emplace(both(operation.call, operation.result), next);
  if (is_new) operations_.push_back(operation);
  return entry->second;
}

LogId OperationLogs::extended(LogId log, OperationId last) {
  const auto next = static_cast<LogId>(logs_.size());
  const auto [entry, is_new] = log_ids_.try_emplace(both(log, last), next);
  if (is_new) logs_.push_back({log, last, logs_[log].length + 1});
  return entry->second;
}

std::vector<OperationId> OperationLogs::operations_of(LogId log) const {
  std::vector<OperationId> all(length(log));
  for (std::size_t i = all.size(); i-- > 0; log = shortened(log)) {
    all[i] = last(log);
  }
  return all;
}

LogId OperationLogs::sorted(std::vector<OperationId> operations) {
  std::ranges::sort(operations);
  LogId log = kEmptyLog;
  for (const OperationId each : operations) log = extended(log, each);
  return log;
}

LogId OperationLogs::sorted(LogId log) {
  return sorted(operations_of(log));
}

LogId OperationLogs::inserted(LogId log, OperationId operation) {
  if (log == kEmptyLog || last(log) <= operation) {
    return extended(log, operation);
  }
  return extended(inserted(shortened(log), operation), last(log));
}

LogId OperationLogs::renamed(LogId log, std::span<const Value> values,
                             lts::Permutation permutation) {
  LogId made = kEmptyLog;
  for (const OperationId each : operations_of(log)) {
    Operation other = operations_[each];
    other.call = graph_.renamed_call(other.call, values, permutation);
    if (other.result != kAnyResult) {
      other.result = graph_.renamed_result(other.result, values, permutation);
    }
    made = extended(made, operation(other));
  }
  return made;
}

}  // namespace plumb::verify
