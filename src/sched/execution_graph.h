// SPDX-License-Identifier: Apache-2.0
// Execution graphs: which write each read reads, and the order of writes.
//
// The events of one execution with program order (po), reads-from (rf) and
// modification order (mo) [LahavEtAl17].  What follows from those is kept
// beside each event: its past along po and rf (porf), and along
// happens-before (hb).  Events are added one after another; each has a stamp,
// and truncate() takes back all that were added later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/event.h"

namespace plumb::sched {

// Strongest first: what SC allows, TSO (x86) allows; what TSO allows, RC11
// (C++ without load buffering) does.
enum class MemoryModel : std::uint8_t { kSc, kTso, kRc11 };

// Up to 16 bytes of memory.
struct Bytes {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Bytes&) const = default;
};

struct EventId {
  std::uint16_t thread = 0xFFFF;
  std::uint16_t index = 0xFFFF;  // in its thread
  bool operator==(const EventId&) const = default;
};
// What a location held before anybody wrote it: the first in mo.
inline constexpr EventId kInitially;

// How much of each thread is in a set of events that is closed under po.
struct Past {
  std::array<std::uint16_t, kMaxThreads> of = {};

  bool contains(EventId event) const {
    return event == kInitially || event.index < of[event.thread];
  }
  void join(const Past& other) {
    for (std::size_t t = 0; t < kMaxThreads; ++t) {
      of[t] = of[t] > other.of[t] ? of[t] : other.of[t];
    }
  }
};

// When does a read count as the first half of a read-modify-write?
enum class Updates : std::uint8_t {
  kNever,       // a load
  kAlways,      // fetch_add, exchange, ...
  kIfEqual,     // compare_exchange_strong
  kIfPositive,  // a semaphore
  kIfEven       // who reads under a lock: odd is held by a writer
};

// What an access is on an x86 machine, to which stores wait in a buffer.
enum class OnX86 : std::uint8_t {
  kLocked,  // empties the buffer
  kStore,   // waits there behind earlier ones
  kLoad     // may go before stores that wait
};

// A read, as the thread asks for it.
struct ReadLabel {
  std::uint64_t key = 0;  // of the location
  std::uint8_t order = 0;
  std::uint8_t failure = 0;  // order of one that does not update
  Updates updates = Updates::kNever;
  bool may_fail = false;  // compare_exchange_weak
  bool waits = false;     // until it can update: a lock
  bool is_sync = false;   // of no atomic object: fences mean nothing to it
  // Whether it can go on is not seen by values: who runs it knows, when it
  // comes to it in a run.
  bool is_told = false;
  // A lock that one holds alone: one that waits takes the next write that lets
  // it go on, and need not be revisited.
  bool in_place = false;
  // Readers' locks: a reader that leaves is followed by the next writer
  // (acquires_all), but by no other reader.
  bool shares = false;
  bool acquires_all = false;
  OnX86 on_x86 = OnX86::kLocked;  // if it updates
  Bytes expected;                 // kIfEqual

  bool updates_at(const Bytes& value) const;
};

enum class GraphKind : std::uint8_t {
  kRead,
  kWrite,
  kFence,
  kSpawn,
  kJoin,
  kChoice,
};

struct GraphEvent {
  GraphKind kind = GraphKind::kFence;
  std::uint8_t order = 0;    // of a read that may fail: the one that counts
  bool exclusive = false;    // half of a read-modify-write
  bool failed = false;       // a compare-exchange, for no reason
  bool blocked = false;      // waits for another value than it would read
  bool untried = false;      // blocked, until a run knows better
  bool along_order = false;  // so far, ranks are an SC order of all events
  std::uint16_t choice = 0;  // kChoice; kSpawn, kJoin: the thread
  std::uint16_t outcomes = 0;
  std::uint16_t place = 0;  // kWrite: in mo, from 1
  std::uint32_t location = 0;
  std::uint32_t stamp = 0;
  std::uint32_t rank = 0;
  EventId source;             // kRead: rf
  EventId moved, moved_from;  // kWrite: a read that waited now reads this
  Bytes value;                // kWrite
  ReadLabel label;            // kRead
  Past porf, hb;              // with the event itself
  Past released;              // kWrite: what an acquire that reads it follows
};

struct GraphLocation {
  std::uint64_t key = 0;
  Bytes initial;
  std::vector<EventId> writes;  // in mo, without the first
  std::vector<EventId> reads;   // as they came
};

class ExecutionGraph {
 public:
  // -- What is there.
  std::size_t size(std::size_t thread) const { return threads_[thread].size(); }
  std::size_t threads() const { return threads_.size(); }
  std::size_t events() const { return order_.size(); }
  GraphEvent& operator[](EventId id) { return threads_[id.thread][id.index]; }
  const GraphEvent& operator[](EventId id) const {
    return threads_[id.thread][id.index];
  }
  // As they were added.
  const std::vector<EventId>& order() const { return order_; }
  const GraphLocation& location(std::size_t number) const {
    return locations_[number];
  }
  std::size_t locations() const { return locations_.size(); }
  // The number of a location; a new one holds `initial`.
  std::uint32_t location_of(std::uint64_t key, const Bytes& initial);
  void set_initial(std::uint32_t location, const Bytes& value) {
    locations_[location].initial = value;
  }

  EventId last_of(std::size_t thread) const {
    return {static_cast<std::uint16_t>(thread),
            static_cast<std::uint16_t>(threads_[thread].size() - 1)};
  }
  EventId spawned_by(std::size_t thread) const { return spawned_by_[thread]; }
  EventId latest(std::uint32_t location) const;  // of mo
  std::size_t place_of(EventId write) const {
    return write == kInitially ? 0 : (*this)[write].place;
  }
  EventId write_at(std::uint32_t location, std::size_t place) const {
    return place == 0 ? kInitially : locations_[location].writes[place - 1];
  }
  const Bytes& value_of(std::uint32_t location, EventId write) const {
    return write == kInitially ? locations_[location].initial
                               : (*this)[write].value;
  }
  const Bytes& value_read(const GraphEvent& read) const {
    return value_of(read.location, read.source);
  }
  bool hb(EventId a, EventId b) const {
    return a != b && (a == kInitially || (*this)[b].hb.contains(a));
  }
  // What a read read before it was moved, if it was.
  EventId source_before_moves(EventId read) const;
  // Where the read would go on (is it the first half of an update?), and the
  // second half is missing.
  bool is_open(EventId read) const;

  // -- Changes.
  // Adds an event at the end of its thread, after which it is to be filled in
  // by one of those below.
  EventId append(std::size_t thread, GraphKind kind);
  void finish_fence(EventId fence, int order);
  void finish_spawn(EventId spawn, std::size_t child);
  void finish_join(EventId join, std::size_t child);
  void finish_choice(EventId choice, std::uint16_t outcomes);
  // Requires: nothing follows the read along porf.
  void set_source(EventId read, EventId source, bool fails);
  // It waits for another value than it would read.
  void block(EventId read);
  // What a write to `location` follows and releases.
  void finish_write(EventId write, std::uint32_t location, const Bytes& value,
                    int order, bool exclusive);
  void insert_write(EventId write, std::size_t place);
  void remove_write(EventId write);  // from mo
  void add_read(EventId read, std::uint32_t location, const ReadLabel& label);
  void set_rank(EventId event) { (*this)[event].rank = ++rank_; }

  // Without what was added after `stamp`.
  void truncate(std::uint32_t stamp);
  // Only what was added up to `stamp`, and what is in `past`.
  ExecutionGraph restricted(std::uint32_t stamp, const Past& past) const;
  std::uint32_t stamp() const {
    return order_.empty() ? 0 : (*this)[order_.back()].stamp;
  }

  // -- Consistency.
  // Places in mo that a write may have for coherence: from here on.
  std::size_t first_place(EventId write) const;
  // ... and the first place whose write the read may read.
  std::size_t first_source(EventId read) const;
  // Would a write there come between the halves of another update?
  bool splits_update(std::uint32_t location, std::size_t place) const;

  // Would the graph be consistent if `from` happened before `to`, by something
  // outside of it?  Requires: it is consistent.
  bool allows(MemoryModel model, EventId from, EventId to) const;
  // ... by several such edges at once?  Not for SC.
  struct OutsideEdge {
    EventId from, to;
  };
  bool allows_all(MemoryModel model,
                  const std::vector<OutsideEdge>& edges) const;

  // What else the model asks of the graph, coherence and atomicity apart.
  bool is_consistent(MemoryModel model) const;
  // Is there an order of all events in which each read reads the last write?
  bool is_sc() const;
  bool is_tso() const;
  // RC11's condition on seq_cst accesses and fences: psc is acyclic.
  bool is_psc_acyclic() const;
  bool has_seq_cst() const;  // is there an access or a fence of that order?
  // Accesses of a location are ordered by eco (rf, mo, from-read) iff their
  // keys are.
  std::uint32_t eco_key(const GraphEvent& access) const {
    return access.kind == GraphKind::kWrite
               ? 2u * access.place
               : 2u * static_cast<std::uint32_t>(place_of(access.source)) + 1;
  }

 private:
  bool is_coherent_with(EventId from, EventId to) const;
  bool is_coherent() const;
  void forget(EventId event);
  void follow_program_order(EventId event);
  void acquire(EventId read);

  std::vector<std::vector<GraphEvent>> threads_;
  std::vector<EventId> spawned_by_;  // by thread
  std::vector<GraphLocation> locations_;
  std::vector<EventId> order_;
  std::uint32_t next_stamp_ = 1;
  std::uint32_t rank_ = 0;
};

constexpr bool acquires_order(int order) {
  return order != 0 && order != 3;
}
constexpr bool releases_order(int order) {
  return order >= 3;
}
inline constexpr int kSeqCst = 5;

}  // namespace plumb::sched
