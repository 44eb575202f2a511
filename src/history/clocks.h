// SPDX-License-Identifier: Apache-2.0
// The order of events of which bounds by clocks are known, not the order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/value.h"
#include "history/history.h"

namespace plumb::history {

// Clocks of several machines disagree.  So an event says between which two
// readings of some common time it happened, and its place in the file says
// nothing but what its own process did first.  A history is judged by what is
// certain: `a` precedes `b` iff the latest possible return of `a` is before the
// earliest possible invocation of `b`, or both are of one process, and `a` the
// first.  That is the order of a history iff some choice of moments within the
// bounds, in which each process keeps its order, has an order contained in it.
// For a process does one thing after the other, which makes bounds tighter: no
// event was earlier than any before it can have been, nor later than any that
// follows.  Then bounds grow along each process, so that what precedes what
// precedes `c` precedes `c`; and given an order that keeps all this, with a
// moment for each operation at which it takes effect, a return can be put at
// that moment or, if it was later, at its earliest one, and an invocation at
// that moment or its latest one.
class Clocks {
 public:
  // What an event does to its operation.
  enum class Kind : std::uint8_t { kInvoke, kReturn, kOther };

  struct Reading {
    Value earliest, latest;
    std::uint32_t process = 0;
    std::uint32_t part = 0;
    std::uint32_t operation = 0;
    Kind kind = Kind::kOther;
  };

  // Of the next event of its process.  Returns false if it was over before
  // something that the process did before it.
  // Requires: earliest <= latest, both numbers.
  bool note(const Reading& reading);

  // Operations of part 0 are somewhere else from now on: by index, the part and
  // the index there.
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  void move(const std::vector<Place>& places);

  // No more will be noted.  Requires: parts are below this.
  void finish(std::uint32_t parts);
  // Gives the operations of a part their moments, and puts them in the order of
  // their invocations.  Returns where each was before.
  std::vector<std::uint32_t> arrange(std::uint32_t part,
                                     History& history) const;

 private:
  std::vector<Reading> readings_;
  std::vector<std::vector<Reading>> by_part_;  // once finished
  std::vector<Value> earliest_;                // by process: of what follows
};

}  // namespace plumb::history
