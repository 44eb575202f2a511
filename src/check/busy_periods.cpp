// SPDX-License-Identifier: Apache-2.0
#include "check/busy_periods.h"

#include <algorithm>

namespace plumb::check {

namespace {

using history::History;
using history::kNever;
using history::Moment;
using history::Operation;

struct Period {
  std::uint32_t first, past_last;  // operations, in order of invocation
  Moment end;                      // kNever: nothing quiescent follows
};

std::vector<Period> busy_periods(const History& history) {
  std::vector<Period> periods;
  const auto size = static_cast<std::uint32_t>(history.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const Operation& o = history.operations[i];
    if (periods.empty() || o.invoked > periods.back().end) {
      periods.push_back({i, i, o.returned});
    }
    Period& last = periods.back();
    last.past_last = i + 1;
    last.end = std::max(last.end, o.returned);
  }
  return periods;
}

}  // namespace

Part widen_to_busy_periods(const History& history) {
  Part out;
  out.history = history.empty();
  out.history.clocked = false;  // within a period any order will do
  for (const Period& period : busy_periods(history)) {
    if (period.end == kNever) break;
    const Moment start = history.operations[period.first].invoked;
    for (std::uint32_t i = period.first; i < period.past_last; ++i) {
      out.add(history, i);
      Operation& widened = out.history.operations.back();
      widened.invoked = start;
      widened.returned = period.end;
    }
  }
  return out;
}

std::size_t count_not_judged(const History& history) {
  const auto periods = busy_periods(history);
  if (periods.empty() || periods.back().end != kNever) return 0;
  return history.size() - periods.back().first;
}

}  // namespace plumb::check
