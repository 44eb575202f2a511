// SPDX-License-Identifier: Apache-2.0
// What the runtime keeps of each thread; for the runtime's own files.
#pragma once

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/loops.h"

namespace plumb::runtime {

inline constexpr std::uint32_t kMaxFrames = 128;

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  void* (*entry)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  Event* next = nullptr;        // what it is about to do, or did last
  Stack own;                    // that nobody else looks at; may be empty
  Predicate enabled = nullptr;  // null: nothing to wait for
  const void* object = nullptr;
  Span span;
  std::uint32_t floor = 0;  // of all its events: Event::after
  // Who started it and waits for its first event; kNoThread: nobody any more.
  ThreadId starter = sched::kNoThread;
  bool has_ended = false;
  ThreadMask joined = 0;          // by it, by those it joined, or before it
  std::uint8_t spurious[2] = {};  // how many it met, by kind

  LoopLog loops;

  // Where it is, from the hooks at entry and exit of functions: call sites,
  // and a hash of each with those before it.  Most functions do nothing that
  // anybody asks the place of, so hashes are made when they are needed.
  std::uint32_t depth = 0;
  std::uint32_t hashed = 0;  // so many first frames have theirs
  std::uintptr_t frames[kMaxFrames];
  std::uint64_t hashes[kMaxFrames + 1];  // of none, of the first, ...
};

struct State {
  Fiber* here = nullptr;  // that of the current thread
  Fiber fibers[sched::kMaxThreads];
  Event pending[sched::kMaxThreads];
  ThreadId current = 0;
  std::uint32_t threads = 0;      // ever started in this execution
  ThreadMask alive = 0;           // started and not ended
  ThreadMask conditional = 0;     // of these: with a predicate
  ThreadMask yielding = 0;        // asked that others go on
  ThreadMask cut = 0;             // in a loop that leads nowhere
  ThreadMask waits_outside = 0;   // for a file, not for others of the test
  ThreadMask shared_stacks = 0;   // others look at the stacks of these
  bool ends_are_events = false;   // see watch_ends()
  std::uint32_t unforgotten = 0;  // threads that are not joined, this one too
  bool waits_for_all = false;     // thread 0 does
  bool in_race_mode = true;       // plain accesses are watched, not events
  bool is_alone = true;
  // Since this event there is more than one thread: those before it happen
  // before all that threads do which were started since.
  std::uint32_t together_from = 0;
  std::uint32_t steps = 0;  // events so far
  bool spared = false;      // see Outcome
};
// Hidden, so that finding it takes no look-up.
extern State state __attribute__((visibility("hidden")));

inline std::uint64_t mix(std::uint64_t past, std::uint64_t with) {
  return (past ^ with) * 0x9E3779B97F4A7C15u + (past >> 29);
}

inline Fiber& here() {
  return *state.here;
}
// This thread writes something beside what its event says, or as no event.  All
// of its own stack is in its pictures.
inline void note_written(std::uintptr_t address, std::uint32_t size) {
  const Stack stack = stack_of(state.current);
  if (address - stack.low < stack.size) return;
  LoopLog& log = here().loops;
  log.writes[log.write_count++ % kMaxLoopWrites] = {address, size, log.count};
}
inline void set_current(ThreadId thread) {
  state.current = thread;
  state.here = &state.fibers[thread];
}
// How many frames are known: deeper ones are not kept.
inline std::uint32_t shown_depth() {
  return here().depth < kMaxFrames ? here().depth : kMaxFrames;
}
// A hash of a place in the code and of all callers: for those who look for
// loops, else 0.
inline std::uint64_t site_of(std::uintptr_t pc) {
  if (!loop_guard) return 0;
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;
  Fiber& fiber = here();
  const std::uint32_t depth = shown_depth();
  std::uint64_t hash = fiber.hashes[std::min(fiber.hashed, depth)];
  for (; fiber.hashed < depth; ++fiber.hashed) {
    hash = (hash ^ fiber.frames[fiber.hashed]) * kFactor;
    fiber.hashes[fiber.hashed + 1] = hash;
  }
  return hash * kFactor ^ pc ^ fiber.depth;
}

}  // namespace plumb::runtime
