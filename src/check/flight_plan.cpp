// SPDX-License-Identifier: Apache-2.0
#include "check/flight_plan.h"

#include <algorithm>
#include <numeric>

#include "base/flat_table.h"

namespace plumb::check {

using history::History;
using history::Operation;

FlightPlan::FlightPlan(const History& history, Transitions& transitions) {
  list_operations(history, transitions);
  if (history.clocked) keep_processes(history);
  list_in_flight();
  assign_slots();
}

void FlightPlan::list_operations(const History& history,
                                 Transitions& transitions) {
  const auto signatures = transitions.object().operations();
  FlatMap<LabelId, std::uint32_t> last_equal;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (!o.certain() && signatures[o.code].reads_only) continue;
    const LabelId label = transitions.label(o.call(), o.observed());
    if (!o.pending()) {
      firm.push_back({i, label, 0, o.invoked, o.optional});
      continue;
    }
    const auto [entry, is_new] = last_equal.try_emplace(label, kNone);
    equal_before.push_back(entry->second);
    entry->second = static_cast<std::uint32_t>(pending.size());
    pending.push_back({i, label, 0, o.invoked});
  }
  std::stable_sort(firm.begin(), firm.end(), [&](const Item& a, const Item& b) {
    return history.operations[a.operation].returned <
           history.operations[b.operation].returned;
  });
  for (const Item& item : firm) {
    returned.push_back(history.operations[item.operation].returned);
  }
}

// What is optional or pending may have taken effect too late for an order.
void FlightPlan::keep_processes(const History& history) {
  std::vector<Item*> items(history.size());
  for (Item& item : firm) items[item.operation] = &item;
  for (Item& item : pending) items[item.operation] = &item;
  std::vector<std::uint32_t> last(history.processes.size(), kNone);
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (items[i] == nullptr) continue;
    std::uint32_t& before = last[o.process];
    if (before != kNone && returned[before] >= o.invoked) {
      items[i]->after = before;
      keeps_processes = true;
    }
    if (o.certain()) before = static_cast<std::uint32_t>(items[i] - &firm[0]);
  }
  if (keeps_processes) equal_before.assign(pending.size(), kNone);
}

void FlightPlan::list_in_flight() {
  std::vector<std::uint32_t> by_invocation(firm.size());
  std::iota(by_invocation.begin(), by_invocation.end(), 0u);
  std::sort(by_invocation.begin(), by_invocation.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return firm[a].invoked < firm[b].invoked;
            });
  std::vector<std::uint32_t> open;  // sorted: indices into firm
  std::size_t invoked = 0;
  for (std::uint32_t k = 0; k < firm.size(); ++k) {
    if (k > 0 && returned[k] == returned[k - 1]) {
      group.push_back(group.back());
      continue;
    }
    open.erase(open.begin(), std::lower_bound(open.begin(), open.end(), k));
    const std::size_t old = open.size();
    while (invoked < firm.size() &&
           firm[by_invocation[invoked]].invoked <= returned[k]) {
      open.push_back(by_invocation[invoked++]);
    }
    std::sort(open.begin() + static_cast<std::ptrdiff_t>(old), open.end());
    std::inplace_merge(open.begin(),
                       open.begin() + static_cast<std::ptrdiff_t>(old),
                       open.end());
    group.push_back(static_cast<std::uint32_t>(group_start.size()));
    group_start.push_back(static_cast<std::uint32_t>(in_flight.size()));
    in_flight.insert(in_flight.end(), open.begin(), open.end());
  }
  group_start.push_back(static_cast<std::uint32_t>(in_flight.size()));
}

// A slot is taken from the first group in which an operation is in flight to
// the last, then used again.
void FlightPlan::assign_slots() {
  std::vector<std::uint32_t> free;
  std::vector<bool> has_slot(firm.size());
  std::vector<std::uint32_t> holders;
  for (std::size_t g = 0; g + 1 < group_start.size(); ++g) {
    const std::uint32_t first = in_flight[group_start[g]];
    std::erase_if(holders, [&](std::uint32_t k) {
      if (k >= first) return false;
      free.push_back(firm[k].slot);
      return true;
    });
    for (auto i = group_start[g]; i < group_start[g + 1]; ++i) {
      const std::uint32_t k = in_flight[i];
      if (has_slot[k]) continue;
      has_slot[k] = true;
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(slots++));
      firm[k].slot = free.back();
      free.pop_back();
      holders.push_back(k);
    }
  }
  for (std::uint32_t i = 0; i < pending.size(); ++i) pending[i].slot = i;
}

}  // namespace plumb::check
