// SPDX-License-Identifier: Apache-2.0
// What each step of a program may access: statically, and in a state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lang/client.h"
#include "lang/program.h"
#include "lts/system.h"

namespace plumb::lang {

// A set of places: a bit for each variable and for each field of each struct,
// the last bit for all that have none of their own.
using PlaceMask = std::uint64_t;

// The places that something accesses.  `own`: of an array that is indexed by
// process, only the element of the process itself.
struct Places {
  PlaceMask read = 0, written = 0;
  PlaceMask own_read = 0, own_written = 0;

  void add(const Places& more) {
    read |= more.read;
    written |= more.written;
    own_read |= more.own_read;
    own_written |= more.own_written;
  }
  PlaceMask all() const { return read | written | own_read | own_written; }
  friend bool operator==(const Places&, const Places&) = default;
};

// Where steps of two different processes may meet, one of them writing.
inline PlaceMask conflicts(const Places& mine, const Places& theirs) {
  return (mine.written & theirs.all()) |
         (mine.read & (theirs.written | theirs.own_written)) |
         (mine.own_written & (theirs.read | theirs.written)) |
         (mine.own_read & theirs.written);
}

// One access of a step.
struct Access {
  enum class Base : std::uint8_t {
    kVariable,
    kCell,      // of the cell in a register of the frame
    kSomeCell,  // of a cell that only the step itself finds out
  };
  struct Index {
    Register reg;
    std::uint32_t stride, count;
  };
  std::uint8_t place = 0;
  bool writes = false;
  bool own = false;
  // Gives back a lock that this process holds; see find_locks().
  bool releases = false;
  Base base = Base::kVariable;
  Register cell = kNoRegister;
  // Bytes of the state or of the cell; then the indices come on top.
  std::uint32_t begin = 0, size = 0;
  std::vector<Index> indices;

  friend bool operator==(const Access&, const Access&) = default;
};
bool operator==(const Access::Index&, const Access::Index&);

// An access in a state.
struct Location {
  static constexpr std::uint16_t kAnyCell = 0xFFFF;
  std::uint16_t cell = 0;  // 0: a variable
  bool writes = false;
  std::uint32_t begin = 0, end = 0;

  bool may_meet(const Location& other) const {
    if (!writes && !other.writes) return false;
    if ((cell == 0) != (other.cell == 0)) return false;
    if (cell != other.cell && cell != kAnyCell && other.cell != kAnyCell) {
      return false;
    }
    return begin < other.end && other.begin < end;
  }
  friend bool operator==(const Location&, const Location&) = default;
};

// What lies between a place of rest and the next ones.
struct StepFootprint {
  std::vector<Access> accesses;
  Places places;
  // Of all that may follow in the same call.
  Places later;
  bool allocates = false;
  bool deletes = false;
  bool marks = false;
  std::vector<std::uint16_t> next;  // rests
};

class Footprints {
 public:
  explicit Footprints(const Program& program);

  const StepFootprint& of_rest(std::uint32_t rest) const {
    return rests_[rest];
  }
  const StepFootprint& of_invocation(std::uint16_t operation) const {
    return invocations_[operation];
  }
  // All that a call of one of the operations may access.
  Places of_calls(const std::vector<std::uint16_t>& operations) const;

  // Requires: `frame` is the frame of `process`, who rests at `rest`.
  Location location(const Access& access, std::uint32_t rest,
                    std::size_t process, const std::uint8_t* frame) const;

 private:
  friend class FootprintMaker;

  const Program& program_;
  std::vector<StepFootprint> rests_;        // [0] is unused
  std::vector<StepFootprint> invocations_;  // for each operation
};

// Locks that are always waited for and taken in one step, and given back only
// by who holds them.  Then nobody else can access a lock that is held, and
// giving it back need not wait for anybody.  Returns the instructions that
// give one back.
//
// For example `atomic { await !l.held; l.held = true; }` and, later on every
// path, `l.held = false;`.  But not if somebody looks at `l.held` otherwise:
// what `if (l.held)` finds depends on when the lock was given back.
std::vector<bool> find_releases(const Program& program);

}  // namespace plumb::lang
