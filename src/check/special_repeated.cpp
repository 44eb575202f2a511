// SPDX-License-Identifier: Apache-2.0
#include "check/special_repeated.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/flat_table.h"
#include "base/value.h"

namespace plumb::check {

using history::History;
using history::Operation;

RepeatedValues::RepeatedValues(const History& history,
                               const ContainerCodes& codes, bool blocking) {
  struct Balance {
    std::uint32_t puts = 0, takes = 0, pending_puts_used = 0;
  };
  FlatMap<Value, Balance> balances;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.code == codes.add) {
      has_null_ = has_null_ || o.argument.is_null();
      ++balances[o.argument].puts;
    } else if (!o.pending() && !o.result.is_null()) {
      ++balances[o.result].takes;
    } else if (!o.pending() && blocking && core_.empty()) {
      core_ = {i};
    }
  }
  std::optional<Value> overdrawn;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.code != codes.add) {
      takes_.push_back(i);
      if (o.pending() || o.result.is_null() || overdrawn) continue;
      const Balance& balance = balances[o.result];
      if (balance.takes > balance.puts) overdrawn = o.result;
      continue;
    }
    Balance& balance = balances[o.argument];
    if (o.pending() && balance.pending_puts_used++ >= balance.takes) continue;
    puts_.push_back(i);
  }
  if (!overdrawn || !core_.empty()) return;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.pending()) continue;
    if ((o.code == codes.add ? o.argument : o.result) == *overdrawn) {
      core_.push_back(i);
    }
  }
}

std::vector<std::uint32_t> RepeatedValues::all() const {
  std::vector<std::uint32_t> out;
  out.reserve(puts_.size() + takes_.size());
  std::merge(puts_.begin(), puts_.end(), takes_.begin(), takes_.end(),
             std::back_inserter(out));
  return out;
}

Verdict violated_up_to(history::Moment farthest, const History& history) {
  std::vector<std::uint32_t> core;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (!o.pending() && o.invoked <= farthest) core.push_back(i);
  }
  return violated_by(std::move(core));
}

}  // namespace plumb::check
