// SPDX-License-Identifier: Apache-2.0
// Making evidence small: the fewest switches, the fewest calls.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/case.h"
#include "sched/event.h"

namespace plumb::harness {

using EventNumber = std::uint32_t;

// Events 0, 1, ... and what must come before what.
struct EventOrder {
  // The thread of each event; events of a thread stand in its order.
  std::vector<sched::ThreadId> thread;
  // By event: those that come before it; the order of threads goes without
  // saying, and what follows from the rest need not be there.
  std::vector<std::vector<EventNumber>> before;
  // By event: can it wait for others (a lock, a join)?  Switching away from a
  // thread that has to is no preemption.  Empty: none can.
  std::vector<bool> waits;
};

// Who does the next event, again and again: an order of all events that keeps
// `order`, with as few switches as possible.  Among those that let each thread
// go on as far as it can, one with few preemptions; then one in which threads
// with small numbers come first.  `first`: who had the word before; if that
// thread begins, this is no switch.
//
// Nothing if `order` is cyclic.  LIMIT: after each number of switches, only
// the `widest` most promising states are followed; where there are more, there
// may be an order with fewer switches.  Real runs stay far below: five threads
// with ten dependent events each have fewer states.
std::optional<std::vector<sched::ThreadId>> fewest_switches(
    const EventOrder& order,
    std::optional<sched::ThreadId> first = std::nullopt,
    std::size_t widest = 200'000);

// How often another thread goes on.
std::size_t count_switches(std::span<const sched::ThreadId> threads);

// A part of `program` with fewer calls that is `still_violated`: none that
// lacks one or two calls more, or a thread more, is.  Asks only about programs
// that make at least one call; threads that are gone stay as empty ones, since
// code may ask for its number.
//
// Requires: still_violated(program), or that nobody minds if it is not.
Program shrink_program(
    const Program& program,
    const std::function<bool(const Program&)>& still_violated);

}  // namespace plumb::harness
