// SPDX-License-Identifier: Apache-2.0
// What of an execution led a thread to where it is in a loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loops.h"
#include "sched/event.h"

namespace plumb::harness {

// Events of a thread's call, by their positions.
struct Window {
  std::uint32_t first;
  std::uint32_t to;
};

// How others took part in these.
enum class Part : std::uint8_t {
  kNone,      // nobody touched what the thread wrote
  kAfter,     // somebody did, but what the thread did then did not follow it
  kFollowed,  // it did
};
Part part_of_others(std::span<const sched::Event> events,
                    const runtime::LoopLog& log, sched::ThreadId thread,
                    Window window);

// The events that happen before the thread's last one, and that.
std::vector<bool> past_of(sched::ThreadId thread,
                          std::span<const sched::Event> events);

// Hashes of pasts: the same in all orders that are equivalent.  That of an
// event is made of those of all that happen directly before it (a Merkle tree),
// so that what two questions have in common is hashed once.
class PastHashes {
 public:
  // Of what happens before the thread's last event, and that.
  std::uint64_t of(sched::ThreadId thread,
                   std::span<const sched::Event> events);

 private:
  struct Known {
    sched::Event event;
    std::uint64_t hash;
  };
  std::vector<Known> known_;  // the events that were asked about last
};

}  // namespace plumb::harness
