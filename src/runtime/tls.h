// SPDX-License-Identifier: Apache-2.0
// Thread-local data of the test, one set for each fiber.
//
// All fibers run on one thread of the system, so they would share its
// thread-local data.  If the test has any, or asks where that of the C library
// is (&errno), each fiber but the first gets the
// block of a real thread that was made for this and sleeps for ever: the C
// library has set it up, and the register FS tells which block is in use.
// Whatever the test has, what C and C++ keep for each thread (errno, the
// exceptions that are being handled, the argument of std::call_once) is each
// fiber's own.
//
// LIMIT: what the C library, and libraries that the runtime itself uses, keep
// beyond that is common to all fibers, and not put back between executions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/event.h"

namespace plumb::runtime {

namespace tls {

inline constexpr std::size_t kHome = sched::kMaxThreads;  // no fiber's
inline constexpr std::size_t kUsers = kHome + 1;

// What the C and C++ libraries keep for each thread.
struct Kept {
  void* caught = nullptr;  // exceptions that are being handled
  unsigned uncaught = 0;
  int error = 0;
  void* once_callable = nullptr;
  void (*once_call)() = nullptr;
};
// Where they keep it, in one block.
struct Places {
  struct Exceptions {
    void* caught;
    unsigned uncaught;
  };
  Exceptions* exceptions = nullptr;
  int* error = nullptr;
  void** once_callable = nullptr;
  void (**once_call)() = nullptr;
};

#pragma GCC visibility push(hidden)
extern Places at_home;                // those of the system's thread
extern Kept kept[kUsers];             // of those who share the block at home
extern std::uintptr_t bases[kUsers];  // whose block is where; all the same
                                      // unless blocks are switched
extern std::size_t current;           // who runs
extern std::size_t resident;          // whose `kept` is in the block at home
extern std::uintptr_t common;         // see tls_is_common()
extern std::size_t common_size;
extern bool can_write_base;  // by an instruction, not by a system call
#pragma GCC visibility pop

void write_base_slowly(std::uintptr_t base);

inline void write_base(std::uintptr_t base) {
  if (can_write_base) {
    asm volatile("wrfsbase %0" : : "r"(base) : "memory");
  } else {
    write_base_slowly(base);
  }
}

inline void change_resident(std::size_t to) {
  Kept& out = kept[resident];
  out.caught = at_home.exceptions->caught;
  out.uncaught = at_home.exceptions->uncaught;
  out.error = *at_home.error;
  out.once_callable = *at_home.once_callable;
  out.once_call = *at_home.once_call;
  const Kept& in = kept[to];
  at_home.exceptions->caught = in.caught;
  at_home.exceptions->uncaught = in.uncaught;
  *at_home.error = in.error;
  *at_home.once_callable = in.once_callable;
  *at_home.once_call = in.once_call;
  resident = to;
}

inline void use(std::size_t to) {
  if (bases[to] != bases[current]) write_base(bases[to]);
  current = to;
  if (bases[to] == bases[kHome] && resident != to) change_resident(to);
}

}  // namespace tls

// Finds out what there is, and makes blocks if they are needed.  To be called
// before executions begin (and before globals_snapshot(): it changes a variable
// there) by the thread that will run them.
void tls_prepare();

// Are blocks switched?
bool tls_needed();

// A thread begins: its data is as new; that of thread 0 as it was when
// tls_prepare() was called.  Requires: it does not run.
void tls_start_run(sched::ThreadId thread);

// Calls visit(context, begin, bytes) for the test's data of this thread.
void tls_each_block(sched::ThreadId thread,
                    void (*visit)(void*, std::uintptr_t, std::size_t),
                    void* context);

// What the C and C++ libraries keep for this thread now.
tls::Kept tls_kept_of(sched::ThreadId thread);

// Is this thread-local data that fibers share though it is not meant to be
// shared?  Only what the C library has is, and only if blocks are not switched.
inline bool tls_is_common(std::uintptr_t address) {
  return address - tls::common < tls::common_size;
}

// From here on this thread runs.
inline void tls_switch(sched::ThreadId to) {
  tls::use(to);
}
// From here on no thread of an execution runs.
inline void tls_home() {
  tls::use(tls::kHome);
}

}  // namespace plumb::runtime
