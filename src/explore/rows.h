// SPDX-License-Identifier: Apache-2.0
// The transitions of all states that a search has expanded, in few bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/id_range.h"
#include "explore/side_table.h"

namespace plumb::explore {

// For questions about cycles.  Of each transition, where it leads and a
// number, in two to four bytes as a rule: targets are near.  Each thread of a
// search writes down the rows of the states that it expands; when all is
// written, anybody may read.
class Rows {
 public:
  struct Step {
    StateId target;
    std::uint32_t number;
  };

  // Numbers are below `numbers`; 0: that is not known, and they take a byte
  // more.
  Rows(std::size_t threads, std::uint32_t numbers);

  // Writes a row.  Returns false, and writes none, if there is no more memory.
  // Those of one thread come mostly in the order of ids.
  bool add(std::size_t thread, StateId state, const std::vector<Step>& steps);

  // All rows are there; no state has two.
  void finish();

  // Where somebody is in the row of a state.
  struct Cursor {
    std::uint64_t at : 48 = 0;  // in the log
    std::uint64_t log : 16 = 0;
    StateId state = 0;
    std::uint32_t left = 0;  // steps
  };
  // A state that has no row has no transitions.  Requires: finish().
  Cursor operator[](StateId state) const;
  // Returns false at the end of the row.
  bool next(Cursor& cursor, Step& step) const {
    if (cursor.left == 0) return false;
    --cursor.left;
    std::uint64_t at = cursor.at;
    const std::uint64_t word = read(logs_[cursor.log].bytes, at);
    cursor.at = at & kPlaces;
    if (numbers_ == 0) return next(cursor, step, word);
    const std::uint64_t far = numbers_ == 1 ? word : word / numbers_;
    step.target = target(cursor.state, far);
    step.number = static_cast<std::uint32_t>(word - far * numbers_);
    return true;
  }
  // Calls use(state, step) for all transitions of all rows, in some order, as
  // long as go_on(), asked before each row, says so.
  template <typename GoOn, typename Use>
  bool for_each(GoOn go_on, Use use) const;

  std::size_t bytes() const;

 private:
  // Rows that lie one after the other; their states are of one block of ids.
  struct Run {
    StateId begin;
    std::uint16_t count, log;
    std::uint64_t at;
  };
  static constexpr StateId kBlock = 16;
  static constexpr std::uint64_t kPlaces = (std::uint64_t{1} << 48) - 1;

  struct Log {
    SideTable<std::uint8_t> bytes;
    std::vector<Run> runs;
  };

  static StateId target(StateId state, std::uint64_t far) {
    const auto distance = static_cast<StateId>((far + 1) / 2);
    return far % 2 == 0 ? state + distance : state - distance;
  }
  bool next(Cursor& cursor, Step& step, std::uint64_t far) const {
    std::uint64_t at = cursor.at;
    step.target = target(cursor.state, far);
    step.number = static_cast<std::uint32_t>(read(logs_[cursor.log].bytes, at));
    cursor.at = at & kPlaces;
    return true;
  }

  static bool write(SideTable<std::uint8_t>& bytes, std::uint64_t number);
  static std::uint64_t read(const SideTable<std::uint8_t>& bytes,
                            std::uint64_t& at) {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = bytes[at++];
      number |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return number;
    }
  }

  const std::uint32_t numbers_;
  std::vector<Log> logs_;                  // by thread
  std::vector<Run> runs_;                  // of all logs, sorted
  std::vector<std::uint32_t> first_runs_;  // by block; then the end of all
};

template <typename GoOn, typename Use>
bool Rows::for_each(GoOn go_on, Use use) const {
  for (const Run& run : runs_) {
    const SideTable<std::uint8_t>& bytes = logs_[run.log].bytes;
    Cursor cursor{run.at & kPlaces, run.log, run.begin, 0};
    for (std::uint16_t i = 0; i < run.count; ++i, ++cursor.state) {
      if (!go_on()) return false;
      std::uint64_t at = cursor.at;
      cursor.left = static_cast<std::uint32_t>(read(bytes, at));
      cursor.at = at & kPlaces;
      for (Step step; next(cursor, step);) use(cursor.state, step);
    }
  }
  return true;
}

}  // namespace plumb::explore
