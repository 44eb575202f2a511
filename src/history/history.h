// SPDX-License-Identifier: Apache-2.0
// A recorded history: which calls there were, and how they overlapped.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "spec/specification.h"

namespace plumb::history {

// A moment: the number of an event in the order in which they were recorded.
using Moment = std::uint32_t;
inline constexpr Moment kNever = std::numeric_limits<Moment>::max();

// One call, from its invocation to its return.  `a` precedes `b` in real time
// iff a.returned < b.invoked.
struct Operation {
  Value argument;
  Value result;  // null while pending, and where the caller sees none
  Moment invoked = 0;
  Moment returned = kNever;   // kNever: pending, it may have happened or not
  std::uint32_t process = 0;  // indexes History::processes
  std::uint32_t line = 0;     // of the invocation in the source, from 1
  std::uint16_t code = 0;     // indexes Specification::operations()
  // Of one that returned: take it that nobody knows what it returned, nor
  // whether it took effect.  Readers never say so; explanations ask it.
  bool optional = false;
  std::uint32_t returned_line = 0;  // of the return; 0: there is none

  bool pending() const { return returned == kNever; }
  spec::Call call() const { return {code, argument}; }
  // Did it certainly take effect?
  bool certain() const { return !pending() && !optional; }
  // What the caller saw; nothing if that is not known.
  std::optional<Value> observed() const {
    return certain() ? std::optional(result) : std::nullopt;
  }
};

inline bool precedes(const Operation& a, const Operation& b) {
  return a.returned < b.invoked;
}

// What somebody noted between the events of clients: a fault that was
// injected, a new leader.
struct Remark {
  std::uint32_t line = 0;
  std::string text;
};

// Clock readings bound the moments of events (clocks.h): an operation is then
// as long as it can have been, from its earliest possible invocation to its
// latest possible return.  Two of one process may overlap in that; all the same
// the one that returned comes first.
struct History {
  // In the order of their invocations.  Invariant: per process, an operation
  // is invoked after the one before it returned, or was given up (`info`); if
  // it is `clocked`, neither invoked nor returned before the one before it.
  std::vector<Operation> operations;
  std::vector<Value> processes;  // by index: as the source calls them
  std::string source;            // a file's name, or "<stdin>"
  Value object;                  // the key or object it concerns; null: none
  bool clocked = false;          // are the moments bounds?

  // The same, without operations.
  History empty() const { return {{}, processes, source, object, clocked}; }
  std::size_t size() const { return operations.size(); }
};

}  // namespace plumb::history
