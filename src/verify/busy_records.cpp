// SPDX-License-Identifier: Apache-2.0
#include "verify/busy_records.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace plumb::verify {

bool BusyRecord::is_quiescent() const {
  return std::ranges::all_of(
      processes, [](const Process& each) { return each.status.is_idle(); });
}

BusyRecords::BusyRecords(SpecificationGraph& graph, std::size_t processes,
                         Budget& budget, std::vector<AbstractId> first)
    : graph_(graph),
      processes_(processes),
      logs_(graph),
      objects_(graph, logs_, budget) {
  BusyRecord record;
  record.objects = first.empty() ? objects_.initial() : objects_.intern(first);
  record.processes.resize(processes);
  intern(record);
}

BusyRecord BusyRecords::operator[](MemberId id) const {
  const auto words = words_[id];
  BusyRecord record;
  record.objects = words[0];
  record.returned = words[1];
  for (std::size_t i = 2; i < words.size(); i += 2) {
    record.processes.push_back({Status::from_word(words[i]), words[i + 1]});
  }
  return record;
}

MemberId BusyRecords::intern(const BusyRecord& record) {
  absl::InlinedVector<std::uint32_t, 14> words = {record.objects,
                                                  record.returned};
  for (const BusyRecord::Process& each : record.processes) {
    words.push_back(each.status.word());
    words.push_back(each.returned);
  }
  return words_.intern(words);
}

std::size_t BusyRecords::begun(const BusyRecord& record) const {
  std::size_t count = logs_.length(record.returned);
  for (const BusyRecord::Process& each : record.processes) {
    count += logs_.length(each.returned) + (each.status.is_idle() ? 0 : 1);
  }
  return count;
}

MemberId BusyRecords::renamed(MemberId id, const lts::Renaming& renaming,
                              std::span<const Value> values) {
  if (renaming.is_identity()) return id;
  const BusyRecord before = (*this)[id];
  BusyRecord record = before;
  const lts::Permutation names = renaming.values;
  if (!names.is_identity()) {
    record.objects = objects_.renamed(record.objects, values, names);
    record.returned =
        logs_.sorted(logs_.renamed(record.returned, values, names));
  }
  for (std::size_t p = 0; p < processes_; ++p) {
    BusyRecord::Process process = before.processes[p];
    if (!names.is_identity()) {
      process.returned = logs_.renamed(process.returned, values, names);
      if (process.status.is_pending()) {
        process.status = Status::pending(
            graph_.renamed_call(process.status.call(), values, names));
      }
    }
    record.processes[renaming.processes[p]] = process;
  }
  return intern(record);
}

MemberId BusyRecords::with_sorted_twins(MemberId id, std::uint16_t twins,
                                        lts::Renaming& renaming,
                                        std::span<const Value> values) {
  BusyRecord record = (*this)[renamed(id, renaming, values)];
  // Which process stands at a place.
  lts::Permutation old = renaming.processes.inverse();
  const auto key = [&](std::size_t p) {
    const BusyRecord::Process& process = record.processes[p];
    return std::pair(process.status.word(), process.returned);
  };
  for (std::size_t p = 1; p < processes_; ++p) {
    for (std::size_t q = p;
         q > 0 && (twins >> (q - 1) & 1) != 0 && key(q - 1) > key(q); --q) {
      std::swap(record.processes[q - 1], record.processes[q]);
      const std::size_t left = old[q - 1];
      old.set(q - 1, old[q]);
      old.set(q, left);
    }
  }
  renaming.processes = old.inverse();
  return intern(record);
}

std::uint64_t BusyRecords::about(MemberId id, std::size_t process) const {
  const auto words = words_[id];
  return std::uint64_t{words[2 + 2 * process]} << 32 | words[3 + 2 * process];
}

std::uint64_t BusyRecords::beside(MemberId id) const {
  const auto words = words_[id];
  return std::uint64_t{words[0]} << 32 | words[1];
}

}  // namespace plumb::verify
