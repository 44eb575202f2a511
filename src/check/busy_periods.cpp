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

// The latest return of some operations, and that of other processes than it.
struct LatestTwo {
  Moment first = 0, second = 0;
  std::uint32_t process = UINT32_MAX;  // of the first

  void add(const Operation& o) {
    if (o.process == process) {
      first = std::max(first, o.returned);
    } else if (o.returned > first) {
      second = first;
      first = o.returned;
      process = o.process;
    } else {
      second = std::max(second, o.returned);
    }
  }
  Moment of_others(std::uint32_t one) const {
    return one == process ? second : first;
  }
};

// Bounds of clocks may let two neighbours of a process overlap.  They do not:
// between them nothing is pending, unless an operation of another process can
// be meanwhile.  (Each process can go on at a moment of its own, so that these
// choices are not in each other's way.)
// Returns the operations before which nothing can be pending.
std::vector<bool> invoked_at_rest(const History& history) {
  const auto& operations = history.operations;
  std::vector<bool> found(history.size());
  if (!history.clocked) return found;
  std::vector<LatestTwo> before(history.size() + 1);  // of the first i
  for (std::size_t i = 0; i < history.size(); ++i) {
    before[i + 1] = before[i];
    before[i + 1].add(operations[i]);
  }
  // By process; what it gave up stays pending.
  std::vector<Moment> last(history.processes.size(), 0);
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Operation& o = operations[i];
    const Moment returned = last[o.process];
    last[o.process] = std::max(returned, o.returned);
    if (returned == kNever || returned < o.invoked) continue;
    const auto later =
        std::ranges::lower_bound(operations, returned, {}, &Operation::invoked);
    const LatestTwo& others = before[static_cast<std::size_t>(
        std::distance(operations.begin(), later))];
    found[i] = others.of_others(o.process) < o.invoked;
  }
  return found;
}

std::vector<Period> busy_periods(const History& history) {
  std::vector<Period> periods;
  const std::vector<bool> at_rest = invoked_at_rest(history);
  const auto size = static_cast<std::uint32_t>(history.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const Operation& o = history.operations[i];
    if (periods.empty() || o.invoked > periods.back().end || at_rest[i]) {
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
  Moment after = 0;             // what came before
  for (const Period& period : busy_periods(history)) {
    if (period.end == kNever) break;
    const Moment start =
        std::max(history.operations[period.first].invoked, after);
    for (std::uint32_t i = period.first; i < period.past_last; ++i) {
      out.add(history, i);
      Operation& widened = out.history.operations.back();
      widened.invoked = start;
      widened.returned = period.end;
    }
    after = period.end + 1;
  }
  return out;
}

std::size_t count_not_judged(const History& history) {
  const auto periods = busy_periods(history);
  if (periods.empty() || periods.back().end != kNever) return 0;
  return history.size() - periods.back().first;
}

}  // namespace plumb::check
