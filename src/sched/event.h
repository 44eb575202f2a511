// SPDX-License-Identifier: Apache-2.0
// What a thread does that others can notice, as a search sees it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::sched {

using ThreadId = std::uint8_t;
inline constexpr std::size_t kMaxThreads = 32;  // a mask of them is a word
inline constexpr ThreadId kNoThread = 0xFF;

using ThreadMask = std::uint32_t;
constexpr ThreadMask bit(ThreadId thread) {
  return ThreadMask{1} << thread;
}
// How many there are: mostly two or three.
constexpr std::uint32_t count(ThreadMask mask) {
  std::uint32_t threads = 0;
  for (; mask != 0; mask &= mask - 1) ++threads;
  return threads;
}
// The thread with n others of the mask below it.
constexpr ThreadId nth(ThreadMask mask, std::uint32_t n) {
  while (n-- > 0) mask &= mask - 1;
  return static_cast<ThreadId>(__builtin_ctz(mask));
}

enum class Kind : std::uint8_t {
  kRead,    // an atomic load, or a compare-exchange that failed
  kWrite,   // an atomic store
  kUpdate,  // a read-modify-write that took place
  kLock,    // takes a mutex; may have to wait
  kUnlock,  // gives it back
  kDown,    // takes one of several from a semaphore; may have to wait
  kUp,      // adds one
  kWait,    // joins those who wait (`address`), giving back a lock (`second`)
  kSignal,  // wakes some of those
  kSpawn,
  kJoin,      // `address` is no address but the thread that ended
  kFree,      // gives memory back: it conflicts with every access to it
  kAllocate,  // takes memory that any thread may have given back
  kFence,
  kChoose,  // one of several; `choice` tells which
  kYield,   // asks that others go on
};

// Who does not wait does not care: only these can be disabled.
constexpr bool may_wait(Kind kind) {
  return kind == Kind::kLock || kind == Kind::kDown || kind == Kind::kJoin;
}

// Two events of different threads are dependent iff they touch a common byte
// and one of them writes.  `second` is where a second range begins that is
// touched, and counts as written: the mutex that a wait gives back, the other
// end of a copy.
struct Event {
  std::uintptr_t address = 0;  // 0: it touches nothing
  std::uintptr_t second = 0;   // 0: none
  std::uint32_t size = 0;
  std::uint32_t second_size = 8;
  std::uint16_t choice = 0;
  // So many outcomes it has, of which `choice` is one, each to be tried; 0 or
  // 1: there is nothing to choose.
  std::uint8_t outcomes = 0;
  std::uint32_t after = 0;  // so many first events all happen before it
  ThreadId thread = 0;
  Kind kind = Kind::kRead;
  bool writes = false;
  bool is_silent = false;  // it wrote what was there before
  bool tries = false;  // a compare-exchange: it failed, elsewhere it may write
  std::uint8_t order = 0;   // a memory order, as compilers number them
  std::uint64_t site = 0;   // where in the code, callers included: a hash
  std::uintptr_t pc = 0;    // where, without callers
  std::uint64_t value = 0;  // what was read, or written: up to 8 bytes
  // Hashes of all that the thread got to know or left behind by it, and of
  // what was there before: a store does not tell that.
  std::uint64_t seen = 0;
  std::uint64_t found = 0;
};

// Must a schedule tell what came out?  That a compare-exchange did not fail
// for no reason goes without saying.
constexpr bool is_choice(const Event& event) {
  return event.kind == Kind::kChoose || event.choice != 0;
}

constexpr bool overlap(std::uintptr_t a, std::size_t a_size, std::uintptr_t b,
                       std::size_t b_size) {
  return a < b + b_size && b < a + a_size;
}

constexpr bool dependent(const Event& a, const Event& b) {
  if (a.thread == b.thread) return true;
  if (a.address && b.address && (a.writes || b.writes) &&
      overlap(a.address, a.size, b.address, b.size)) {
    return true;
  }
  if (a.second && b.address &&
      overlap(a.second, a.second_size, b.address, b.size)) {
    return true;
  }
  if (b.second && a.address &&
      overlap(b.second, b.second_size, a.address, a.size)) {
    return true;
  }
  return a.second && b.second &&
         overlap(a.second, a.second_size, b.second, b.second_size);
}

}  // namespace plumb::sched
