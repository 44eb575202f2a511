// SPDX-License-Identifier: Apache-2.0
#include "explore/rows.h"

#include <algorithm>
#include <new>

#include "base/invariant.h"
#include "explore/varint.h"

namespace plumb::explore {
namespace {

// Small numbers for small distances, whatever their sign.
std::uint64_t distance(StateId from, StateId to) {
  return to >= from ? std::uint64_t{to - from} * 2
                    : std::uint64_t{from - to} * 2 - 1;
}

}  // namespace

Rows::Rows(std::size_t threads, std::uint32_t numbers)
    : numbers_(numbers), logs_(threads) {}

bool Rows::write(SideTable<std::uint8_t>& bytes, std::uint64_t number) {
  std::uint8_t buffer[kMostVarintBytes];
  std::uint8_t* const end = write_varint(buffer, number);
  for (const std::uint8_t* at = buffer; at != end; ++at) {
    if (!bytes.push_back(*at)) return false;
  }
  return true;
}

// A row is the number of its transitions, then of each one how far its target
// is from the state, and its number, as one where numbers have a bound.
bool Rows::add(std::size_t thread, StateId state,
               const std::vector<Step>& steps) {
  Log& log = logs_[thread];
  const bool goes_on = state % kBlock != 0 && !log.runs.empty() &&
                       log.runs.back().begin + log.runs.back().count == state;
  if (goes_on) {
    ++log.runs.back().count;
  } else {
    try {
      log.runs.push_back(
          {state, 1, static_cast<std::uint16_t>(thread), log.bytes.size()});
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  const std::size_t begin = log.bytes.size();
  bool fits = write(log.bytes, steps.size());
  for (const Step& step : steps) {
    const std::uint64_t far = distance(state, step.target);
    if (numbers_ == 0) {
      fits = fits && write(log.bytes, far) && write(log.bytes, step.number);
      continue;
    }
    PLUMB_CHECK(step.number < numbers_);
    fits = fits && write(log.bytes, far * numbers_ + step.number);
  }
  if (fits) return true;
  // What is there is read all the same: half a row must not be.
  log.bytes.shrink_to(begin);
  if (--log.runs.back().count == 0) log.runs.pop_back();
  return false;
}

void Rows::finish() {
  runs_.clear();
  for (const Log& log : logs_) {
    runs_.insert(runs_.end(), log.runs.begin(), log.runs.end());
  }
  std::ranges::sort(runs_, {}, &Run::begin);
  first_runs_.clear();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::size_t block = runs_[i].begin / kBlock;
    if (first_runs_.size() <= block) {
      first_runs_.resize(block + 1, static_cast<std::uint32_t>(i));
    }
  }
  first_runs_.push_back(static_cast<std::uint32_t>(runs_.size()));
}

Rows::Cursor Rows::operator[](StateId state) const {
  Cursor cursor;
  cursor.state = state;
  const std::size_t block = state / kBlock;
  if (block + 1 >= first_runs_.size()) return cursor;
  const Run* run = runs_.data() + first_runs_[block];
  const Run* const end = runs_.data() + first_runs_[block + 1];
  while (run != end && state - run->begin >= run->count) ++run;
  if (run == end) return cursor;
  const SideTable<std::uint8_t>& bytes = logs_[run->log].bytes;
  std::uint64_t at = run->at;
  std::uint64_t left = read(bytes, at);
  for (StateId skipped = run->begin; skipped < state; ++skipped) {
    for (left *= numbers_ == 0 ? 2 : 1; left > 0; --left) read(bytes, at);
    left = read(bytes, at);
  }
  cursor.at = at & kPlaces;
  cursor.log = run->log;
  cursor.left = static_cast<std::uint32_t>(left);
  return cursor;
}

std::size_t Rows::bytes() const {
  std::size_t bytes =
      runs_.size() * sizeof(Run) + first_runs_.size() * sizeof(std::uint32_t);
  for (const Log& log : logs_) {
    bytes += log.bytes.bytes() + log.runs.size() * sizeof(Run);
  }
  return bytes;
}

}  // namespace plumb::explore
