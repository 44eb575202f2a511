// SPDX-License-Identifier: Apache-2.0
#include "history/clocks.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace plumb::history {

namespace {

bool before(Value a, Value b) {
  if (a.is_integer() && b.is_integer()) return a.as_integer() < b.as_integer();
  return compare(a, b) < 0;
}

}  // namespace

bool Clocks::note(const Reading& reading) {
  if (reading.process >= earliest_.size()) {
    earliest_.resize(reading.process + 1);
  }
  Value& earliest = earliest_[reading.process];
  if (earliest.is_null() || before(earliest, reading.earliest)) {
    earliest = reading.earliest;
  }
  readings_.push_back(reading);
  readings_.back().earliest = earliest;
  return !before(reading.latest, earliest);
}

void Clocks::move(const std::vector<Place>& places) {
  for (Reading& reading : readings_) {
    std::tie(reading.part, reading.operation) = places[reading.operation];
  }
}

void Clocks::finish(std::uint32_t parts) {
  std::vector<Value> latest(earliest_.size());
  for (auto at = readings_.rbegin(); at != readings_.rend(); ++at) {
    Value& bound = latest[at->process];
    if (bound.is_null() || before(at->latest, bound)) bound = at->latest;
    at->latest = bound;
  }
  by_part_.resize(parts);
  for (const Reading& reading : readings_) {
    if (reading.kind != Kind::kOther) by_part_[reading.part].push_back(reading);
  }
  readings_.clear();
}

// Moments number the ends of operations by time.  Of equal ones invocations
// come first, since such operations can overlap; else as they were noted, which
// is the order of a process.
std::vector<std::uint32_t> Clocks::arrange(std::uint32_t part,
                                           History& history) const {
  struct End {
    Value time;
    bool is_return;
    std::uint32_t operation;
  };
  std::vector<End> ends;
  ends.reserve(2 * history.size());
  for (const Reading& reading : by_part_[part]) {
    const bool is_return = reading.kind == Kind::kReturn;
    ends.push_back({is_return ? reading.latest : reading.earliest, is_return,
                    reading.operation});
  }
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    if (a.time != b.time) return before(a.time, b.time);
    return !a.is_return && b.is_return;
  });
  std::vector<Operation> sorted;
  std::vector<std::uint32_t> origin;
  sorted.reserve(history.size());
  std::vector<std::uint32_t> place(history.size());
  for (Moment now = 0; now < ends.size(); ++now) {
    const End& end = ends[now];
    if (end.is_return) {
      sorted[place[end.operation]].returned = now;
      continue;
    }
    place[end.operation] = static_cast<std::uint32_t>(sorted.size());
    origin.push_back(end.operation);
    sorted.push_back(history.operations[end.operation]);
    sorted.back().invoked = now;
  }
  history.operations = std::move(sorted);
  history.clocked = true;
  return origin;
}

}  // namespace plumb::history
