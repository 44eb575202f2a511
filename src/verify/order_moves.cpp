// SPDX-License-Identifier: Apache-2.0
#include "verify/order_moves.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace plumb::verify {

using check::Order;
using lts::LabelKind;

OrderMoves::OrderMoves(BusyRecords& records, Order order, Busy busy,
                       Budget& budget)
    : SetMoves(records),
      records_(records),
      order_(order),
      busy_(busy),
      budget_(budget) {}

std::optional<std::uint32_t> OrderMoves::point(const lts::Label& label) const {
  if (label.kind != LabelKind::kInvoke && label.kind != LabelKind::kReturn) {
    return std::nullopt;
  }
  return 0;
}

std::string OrderMoves::course() const {
  return fmt::format("order {}, busy {}", static_cast<int>(order_), busy_.most);
}

SetId OrderMoves::keep(const BusyRecord& record) {
  MemberList one = {records_.intern(record)};
  return sets_.intern(one);
}

SetId OrderMoves::move(SetId set, const lts::Label& label) {
  if (label.kind == LabelKind::kInvoke) {
    return invoked(records_[sets_[set][0]], label);
  }
  return returned(set, label);
}

SetId OrderMoves::invoked(BusyRecord record, const lts::Label& label) {
  if (is_quiescent_order() && busy_.most != 0 &&
      records_.begun(record) >= busy_.most) {
    return kBeyond;
  }
  record.processes[label.process].status =
      Status::pending(records_.graph().call(label));
  return keep(record);
}

SetId OrderMoves::returned(SetId set, const lts::Label& label) {
  BusyRecord record = records_[sets_[set][0]];
  BusyRecord::Process& process = record.processes[label.process];
  const OperationId operation = records_.logs().operation(
      {process.status.call(), records_.graph().result(label)});
  process.status = Status::idle();
  if (order_ == Order::kQuiescent) {
    record.returned = records_.logs().inserted(record.returned, operation);
  } else {
    process.returned = records_.logs().extended(process.returned, operation);
  }
  if (order_ == Order::kProgram) {
    const auto explained = has_order(record);
    if (!explained) return set;
    return *explained ? keep(record) : kEmptySet;
  }
  if (!record.is_quiescent()) return keep(record);
  const auto objects = objects_after(record);
  if (!objects) return set;
  if (!records_.objects().some_may_end(*objects)) return kEmptySet;
  BusyRecord quiet;
  quiet.objects = *objects;
  quiet.processes.resize(record.processes.size());
  return keep(quiet);
}

std::optional<SetId> OrderMoves::objects_after(const BusyRecord& record) {
  AbstractSets& objects = records_.objects();
  if (order_ == Order::kQuiescent) {
    return objects.after_any_order(record.objects, record.returned);
  }
  std::vector<LogId> sequences;
  for (const auto& each : record.processes) sequences.push_back(each.returned);
  return objects.after(record.objects, std::move(sequences));
}

// With which of the pending operations?  All choices are tried, first none.
std::optional<bool> OrderMoves::has_order(const BusyRecord& record) {
  std::vector<std::size_t> pending;
  for (std::size_t p = 0; p < record.processes.size(); ++p) {
    if (record.processes[p].status.is_pending()) pending.push_back(p);
  }
  for (std::uint64_t chosen = 0; chosen >> pending.size() == 0; ++chosen) {
    if (budget_.spent()) return std::nullopt;
    BusyRecord with = record;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if ((chosen >> i & 1) == 0) continue;
      BusyRecord::Process& process = with.processes[pending[i]];
      const OperationId operation = records_.logs().operation(
          {process.status.call(), OperationLogs::kAnyResult});
      process.returned = records_.logs().extended(process.returned, operation);
    }
    const auto objects = objects_after(with);
    if (!objects) return std::nullopt;
    if (records_.objects().some_may_end(*objects)) return true;
  }
  return false;
}

bool OrderMoves::compare(SetId set, SetId other) {
  const BusyRecord mine = records_[sets_[set][0]];
  BusyRecord others = records_[sets_[other][0]];
  const bool fewer = records_.objects().is_subset(mine.objects, others.objects);
  others.objects = mine.objects;
  return fewer && mine == others;
}

}  // namespace plumb::verify
