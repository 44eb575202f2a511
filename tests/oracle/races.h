// SPDX-License-Identifier: Apache-2.0
// Data races of an execution, straight from the definition in C++20.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plumb::oracle {

enum class Does {
  kRead,  // plain
  kWrite,
  kLoad,  // atomic
  kStore,
  kUpdate,
  kFence,
  kSpawn,
  kJoin,
  kAcquire,  // of a sync object, such as a mutex
  kRelease,
  kFree,      // writes the whole block
  kAllocate,  // the memory begins another life
};

struct RaceEvent {
  Does does = Does::kRead;
  std::uint8_t thread = 0;
  std::uint8_t other = 0;  // whom it spawns or joins
  int order = 0;           // as compilers number them
  std::uintptr_t address = 0;
  std::size_t size = 0;
};

using RacingPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// All pairs of events (by index, the earlier first) that are a data race.
// Events are listed in the order in which they took place, and every read
// reads what was written last.  Each byte is an object of its own.
// Requires: at most 64 events.
RacingPairs data_races(const std::vector<RaceEvent>& events);

std::string to_text(const std::vector<RaceEvent>& events);

}  // namespace plumb::oracle
