// SPDX-License-Identifier: Apache-2.0
// The events of one execution with their happens-before order and its races.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/event.h"

namespace plumb::sched {

// Two events that could have come in the other order: `first` happens before
// `second`, with nothing in between.
struct RacePair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;  // size() + t: what thread t still waits to do
};

// Happens before is the least order that contains program order, spawning and
// joining, and the order of dependent events (event.h) in the execution.
//
// A trace is filled event by event; analyse() then computes the order.  Since
// executions of a search share prefixes, what is known of the first events
// survives truncate().
class Trace {
 public:
  Trace();

  void truncate(std::size_t length);
  void add(const Event& event) { events_.push_back(event); }

  // Computes order and races of what was added since the last time, and the
  // races of what threads still wait for.
  void analyse(ThreadMask waiting = 0, const Event* pending = nullptr);

  std::span<const Event> events() const { return events_; }
  const Event& operator[](std::size_t number) const { return events_[number]; }
  std::size_t size() const { return events_.size(); }
  // All races, those of waiting threads last.  Valid after analyse().
  std::span<const RacePair> races() const { return races_; }
  // The number of races before those whose second event is `number` or later.
  std::size_t races_before(std::size_t number) const {
    return number == 0 ? 0 : race_ends_[number - 1];
  }

  bool happens_before(std::size_t a, std::size_t b) const {
    return order_[b * words_ + (a >> 6)] >> (a & 63) & 1;
  }
  // The set of what happens before an event, or before RacePair::second: bit
  // `a & 63` of word `a >> 6` is event `a`.
  const std::uint64_t* before(std::size_t event) const {
    return order_.data() + event * words_;
  }
  // The same: what happens after an event, and what a thread did.
  const std::uint64_t* after(std::size_t event);
  const std::uint64_t* of_thread(ThreadId thread) const {
    return of_thread_.data() + thread * words_;
  }
  std::size_t words() const { return words_; }  // of each such set

 private:
  std::uint64_t* row(std::size_t number) {
    return order_.data() + number * words_;
  }
  void make_room();
  void order_event(std::size_t number, const Event& event);
  void order_taking(std::size_t number, Kind kind);
  void follow(std::size_t number, std::size_t earlier);
  void find_conflicts(const Event& event);
  void collect(std::uintptr_t address, const Event& event);
  void enter(std::size_t number);
  void leave(std::size_t number);

  // The events that touch the same eight bytes, newest last.
  struct Place {
    std::uintptr_t granule = 0;
    std::vector<std::uint32_t> events;
  };
  Place& place_of(std::uintptr_t granule);
  template <typename Visit>
  void for_places(const Event& event, Visit visit);

  std::vector<Event> events_;
  // Sets of events, words_ words for each event or thread.
  std::vector<std::uint64_t> order_, after_, of_thread_;
  std::vector<std::uint32_t> after_ends_;  // by event: after_ has no later ones
  std::size_t words_ = 0;
  std::size_t ordered_ = 0;  // so many events have their order
  std::vector<RacePair> races_;
  std::vector<std::uint32_t> race_ends_;  // by event: its races end here

  std::vector<Place> places_;  // open addressing; its size is a power of two
  std::size_t used_places_ = 0;
  std::vector<std::uint32_t> wide_;             // events that touch many places
  std::vector<std::uint32_t> conflicts_;        // of the event at hand
  std::vector<std::uint64_t> known_;            // scratch
  std::vector<std::uint32_t> previous_;         // by event: of its thread, + 1
  std::uint32_t last_of_[kMaxThreads] = {};     // + 1; 0: none yet
  std::uint32_t spawned_by_[kMaxThreads] = {};  // + 1
};

// A search that knows what the execution did that runs, or ran last.
class Tracing {
 public:
  virtual ~Tracing() = default;
  virtual const Trace& trace() const = 0;
};

}  // namespace plumb::sched
