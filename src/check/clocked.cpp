// SPDX-License-Identifier: Apache-2.0
#include "check/clocked.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace plumb::check {

using history::History;
using history::Moment;
using history::Operation;

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

// Calls `use` with each two operations one after the other of a process, of
// which the first has returned.
void for_each_neighbours(const History& history, const auto& use) {
  std::vector<std::uint32_t> last(history.processes.size(), kNone);
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (last[o.process] != kNone) use(last[o.process], i);
    if (!o.pending()) last[o.process] = i;
  }
}

}  // namespace

bool processes_overlap(const History& history) {
  bool found = false;
  for_each_neighbours(history, [&](std::uint32_t a, std::uint32_t b) {
    found |= !precedes(history.operations[a], history.operations[b]);
  });
  return found;
}

Part without_processes(const History& history) {
  Part out;
  out.history = history.empty();
  out.history.clocked = false;
  for (std::uint32_t i = 0; i < history.size(); ++i) out.add(history, i);
  return out;
}

// Moments are multiplied by four, to make room.  Bounds grow along a process,
// so what is between two of its operations does as well.
Part with_moments_between(const History& history) {
  struct End {
    std::uint64_t moment;
    std::uint32_t operation;
    bool is_return;
  };
  std::vector<std::uint64_t> invoked, returned;
  for (const Operation& o : history.operations) {
    invoked.push_back(4 * std::uint64_t{o.invoked});
    returned.push_back(4 * std::uint64_t{o.returned});
  }
  for_each_neighbours(history, [&](std::uint32_t a, std::uint32_t b) {
    const Operation& first = history.operations[a];
    const Operation& second = history.operations[b];
    if (precedes(first, second)) return;
    const std::uint64_t between =
        2 * (std::uint64_t{first.returned} + second.invoked);
    // Earlier, if its process gave something up before it invoked this one.
    returned[a] = std::min(returned[a], between);
    invoked[b] = std::max(invoked[b], returned[a] + 1);
  });
  std::vector<End> ends;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    ends.push_back({invoked[i], i, false});
    if (!history.operations[i].pending())
      ends.push_back({returned[i], i, true});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    if (a.moment != b.moment) return a.moment < b.moment;
    if (a.is_return != b.is_return) return !a.is_return;
    return a.operation < b.operation;
  });
  Part out;
  out.history = history.empty();
  out.history.clocked = false;
  std::vector<std::uint32_t> place(history.size());
  for (Moment now = 0; now < ends.size(); ++now) {
    const End& end = ends[now];
    if (end.is_return) {
      out.history.operations[place[end.operation]].returned = now;
      continue;
    }
    place[end.operation] = static_cast<std::uint32_t>(out.history.size());
    out.add(history, end.operation);
    out.history.operations.back().invoked = now;
  }
  return out;
}

}  // namespace plumb::check
