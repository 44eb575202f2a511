// SPDX-License-Identifier: Apache-2.0
// What the runtime knows of mutexes, condition variables and the like.
//
// It is kept beside the objects and not in them, so that nothing of it has to
// be put back between executions.  Only what initialisers and init functions
// say (the type of a mutex, the value of a semaphore) is read from the object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/graph_memory.h"
#include "runtime/libraries.h"
#include "runtime/weak_orders.h"
#include "sched/event.h"

namespace plumb::runtime {

// The state of one object, as it is in this execution.  Which members mean
// something depends on what it is.
struct SyncObject {
  std::uintptr_t address = 0;
  std::uint32_t run = 0;              // of another run: this entry is free
  ThreadId owner = sched::kNoThread;  // who holds it, alone
  bool known = false;                 // its initial value has been read
  bool is_robust = false;             // of a mutex
  std::uint32_t count = 0;    // times the owner holds it; a semaphore's value;
                              // how many have come to a barrier
  std::uint32_t bound = 0;    // so many must come to a barrier
  std::uint32_t round = 0;    // of a barrier: how often all had come
  std::uint32_t sharers = 0;  // holds of a lock that is shared
  std::uint32_t wakes = 0;    // how many of wake_ups there are
  ThreadMask waiters = 0;     // those who wait and were not told to go on
  std::uint8_t shares[sched::kMaxThreads] = {};  // holds, by thread
  // Each is for one of these threads, whoever takes it first; see wake_one().
  ThreadMask wake_ups[sched::kMaxThreads] = {};

  // Nobody holds it or waits for it.
  void reset();
};

// The state of the object at this address; new if it was not used before in
// this execution.  Stays where it is until the execution ends.
SyncObject& object_at(const volatile void* address);

// Calls visit(context, object) for all that were used in this execution.
void each_object(void (*visit)(void*, const SyncObject&), void* context);

// What a thread waits for: one thing at a time.
struct Waiting {
  const SyncObject* queue = nullptr;  // whose waiter it is
  std::uint32_t round = 0;            // of a barrier
  std::uint32_t bitset = 0;           // of a futex
  ThreadId thread = 0;
  bool woken = false;
  bool timed = false;  // may give up at any time
};
Waiting& waiting_of(ThreadId thread);

// Those who wait for something are no place of the test's memory: they have
// this bit set beside the address of what they wait for (the low 48 bits).  So
// have things that events must agree on and that have no address at all.
inline constexpr std::uintptr_t kNoMemory = std::uintptr_t{1} << 62;
inline constexpr std::uintptr_t kOrderOfSpawns = kNoMemory | 8;
inline constexpr std::uintptr_t kListOfKeys = kNoMemory | 16;
inline constexpr std::uintptr_t kClock = kNoMemory | 24;
inline constexpr std::uintptr_t kSignalHandlers = kNoMemory | 32;
inline constexpr std::uintptr_t kFiles = kNoMemory | 40;
// That a thread has ended; see watch_ends().
inline constexpr std::uintptr_t kEnds = kNoMemory | 1 << 20;
inline std::uintptr_t end_of(ThreadId thread) {
  return kEnds + thread * 8u;
}

inline std::uintptr_t number_of(const volatile void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// Touches the first word of an object; `pc`: who called.
inline Event sync_event(Kind kind, std::uintptr_t address, bool writes,
                        const void* pc) {
  Event event;
  event.address = address;
  event.size = 8;
  event.thread = self();
  event.kind = kind;
  event.writes = writes;
  event.pc = number_of(pc);
  event.site = site_of(number_of(pc));
  return event;
}

// Would others notice something that is done there?
inline bool can_be_noticed(std::uintptr_t address) {
  if (alone()) return false;
  return address - kRegion < kRegionBytes || in_globals(address) ||
         !in_system_library(address);
}

// Of a turn: it says by itself what it means in execution graphs.
inline constexpr int kOwnAccess = -1;

// One event, from the moment when its turn has come.  Nobody need ask for one
// where nobody would notice, unless it would have to wait.  In execution graphs
// (graph_memory.h) it is an update of the place that it touches; `order`: a
// memory order, for what follows whom.
class Turn {
 public:
  explicit Turn(const Event& what, int order = __ATOMIC_RELAXED)
      : event(what), announced_(can_be_noticed(what.address)) {
    if (!announced_) return;
    announce(event);
    if (graphs && order != kOwnAccess) access({event.address, order}, false);
  }
  Turn(const Event& what, Predicate enabled, const void* object,
       int order = __ATOMIC_RELAXED)
      : event(what),
        announced_(can_be_noticed(what.address) || !enabled(object)) {
    if (!announced_) return;
    const bool is_update = graphs && order != kOwnAccess;
    if (is_update) wait_in_graph({event.address, order});
    announce_when(event, enabled, object);
    if (is_update) access({event.address, order}, true);
  }

  // As access_in_graph(), where there are graphs; else true.
  bool access(const SyncAccess& what, bool waits, std::uint64_t initial = 0) {
    if (!graphs || !announced_) return true;
    return access_in_graph(what, waits, initial);
  }

  // What it learnt, it learnt without following anybody, as relaxed loads do:
  // weaker orders show more.
  void follows_nobody(Ordered what = Ordered::kFailure) {
    if (!announced_) return;
    note_weak_order(what, __ATOMIC_RELAXED, event.pc);
  }
  // It did not do what it tried to do, and changed nothing.
  void failed() {
    follows_nobody(Ordered::kTry);
    event.kind = Kind::kRead;
    event.writes = false;
    event.tries = true;
    done();
  }
  // `result`: all that the thread got to know by it, unless event.writes tells.
  void done(std::uint64_t result = 0) {
    event.seen = mix(event.value, result);
    if (announced_) did(event);
  }

  // Does this wait end for no reason?
  bool ends_spuriously() {
    return announced_ && fails_spuriously(Spurious::kWake, event);
  }

  bool is_announced() const { return announced_; }

  Event event;  // to be changed into what came out

 private:
  bool announced_;
};

// Asks that others go on.
void yield_to_others(const void* pc);

// A predicate about a SyncObject: nobody holds it alone.
bool has_no_owner(const void* object);

// A mutex in graphs, where its value is 1 while it is held.
inline bool is_held(const SyncObject& mutex) {
  return mutex.owner != sched::kNoThread;
}
SyncAccess taking(const SyncObject& mutex);
SyncAccess giving_back(const SyncObject& mutex);

// Who waits at `queue` (a condition variable, a futex) is told to go on.  When
// only one is, which one is left open: whoever goes on first takes the
// wake-up, and the search tries all.  Since only those may take it who waited
// when it was given, and nobody goes on without leaving all sets, each set is
// part of every later one.  So to take the oldest is never worse than to take
// another one, and a wake-up beyond the size of its set is lost.
void start_waiting(SyncObject& queue, bool timed);
std::uint32_t wake_one(SyncObject& queue);  // returns how many: 0 or 1
std::uint32_t wake_all(SyncObject& queue);
// Waits until this thread is told to go on, as an event of its own.  Returns
// false if it was not told: its time is over, which may be at any moment.
// `order`: does it follow, in execution graphs, who woke it?
bool go_on(SyncObject& queue, const void* pc, int order = __ATOMIC_RELAXED);

// A value that the system's function would have written for its caller.
template <typename T>
void store(T* to, T value) {
  if (to == nullptr) return;
  globals_written(number_of(to), sizeof(T));
  *to = value;
}

// What the runtime cannot do for the code under test ends the execution.
[[noreturn]] void not_supported(const void* pc, const char* what);

}  // namespace plumb::runtime
