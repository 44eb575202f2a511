// SPDX-License-Identifier: Apache-2.0
// Accesses to memory by functions of the C library: strlen, memcpy, read.
//
// No compiler announces what these do, so their stand-ins do (libc_*.cpp).
// A stand-in tells which bytes its function reads and writes, and then calls
// the system's own.  Where races are findings, each range is watched as if the
// test had accessed it; where they are allowed, all ranges of one call are one
// event, at whose turn the system's function runs.
//
// Only calls of the test's own code count, and those of the C++ library, which
// acts for it: what others do to order their accesses, nobody sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/core.h"
#include "runtime/reals.h"

namespace plumb::runtime {

// Does code at `pc` belong to the test?  Known after find_seen_code().
void find_seen_code();
namespace seen_code {
extern std::uintptr_t begin __attribute__((visibility("hidden")));
extern std::size_t size __attribute__((visibility("hidden")));
}  // namespace seen_code
bool is_in_seen_library(std::uintptr_t pc);
bool is_in_cxx_library(std::uintptr_t pc);
// ... of the C library and what it loads for itself: what these allocate they
// may keep from one execution to the next.
bool is_in_c_library(std::uintptr_t pc);
inline bool is_seen(std::uintptr_t pc) {
  return active &&
         (pc - seen_code::begin < seen_code::size || is_in_seen_library(pc));
}

// Makes `active` false while the system's function runs: what it allocates for
// itself, maybe under a lock of its own, is none of the test's.  If it crashes,
// the test is to blame all the same.
extern bool in_library __attribute__((visibility("hidden")));
class InLibrary {
 public:
  InLibrary() : was_(std::exchange(in_library, in_library || active)) {}
  ~InLibrary() { in_library = was_; }
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;

 private:
  bool was_;
  OwnWork own_;
};

// While it lives, what the C library allocates is for the test: strdup().
extern bool library_gives __attribute__((visibility("hidden")));
class Giving {
 public:
  Giving() : was_(std::exchange(library_gives, true)) {}
  ~Giving() { library_gives = was_; }
  Giving(const Giving&) = delete;
  Giving& operator=(const Giving&) = delete;

 private:
  bool was_;
};

// Set in the addresses of what functions keep to themselves; memory has none
// that high.
inline constexpr std::uintptr_t kHiddenState = std::uintptr_t{1} << 62;

// What one call touches.
class Ranges {
 public:
  void reads(const void* begin, std::size_t bytes) {
    if (bytes != 0) add(begin, bytes, false);
  }
  void writes(const void* begin, std::size_t bytes) {
    if (bytes != 0) add(begin, bytes, true);
  }
  // A text with the 0 at its end, or as much as there is of it.
  void reads_text(const char* text);
  void reads_text(const char* text, std::size_t most);
  // What a function keeps to itself and all threads share: the place in its
  // text that strtok() has come to.  `key` stands for it.
  void uses_hidden(const void* key, bool writes);

 private:
  friend class Telling;
  struct Range {
    std::uintptr_t begin;
    std::size_t bytes;
    bool writes;
  };
  static constexpr std::size_t kMost = 32;

  enum class How : std::uint8_t {
    kAtOnce,   // each is an access of its own, now
    kCollect,  // all of them are to be one event
    kCheck,    // only errors of the heap are looked for
  };

  Ranges(How how, std::uintptr_t pc) : how_(how), pc_(pc) {}
  void add(const void* begin, std::size_t bytes, bool writes);
  bool covers(const Ranges& others) const;

  How how_;
  std::uintptr_t pc_;
  std::size_t count_ = 0;
  Range ranges_[kMost];
};

// Runs a function that says what is touched, when and as often as it is needed.
class Telling {
 public:
  using Tell = void (*)(Ranges&, void* context);
  // Are accesses events, and would others notice them?
  static bool are_events();
  // What a call is about to touch, exactly.
  static void before(std::uintptr_t pc, Tell tell, void* context);
  // What it may touch at most: an event, where accesses are events.
  static void at_most(std::uintptr_t pc, Tell tell, void* context);
  // What it did touch.
  static void after(std::uintptr_t pc, Tell tell, void* context);

 private:
  static void collect(std::uintptr_t pc, Tell tell, void* context);
  static bool take_turn(const Ranges& ranges);
};

template <typename Tell>
void tell_before(std::uintptr_t pc, Tell tell) {
  Telling::before(
      pc, [](Ranges& to, void* it) { (*static_cast<Tell*>(it))(to); }, &tell);
}
template <typename Tell>
void tell_at_most(std::uintptr_t pc, Tell tell) {
  Telling::at_most(
      pc, [](Ranges& to, void* it) { (*static_cast<Tell*>(it))(to); }, &tell);
}
template <typename Tell>
void tell_after(std::uintptr_t pc, Tell tell) {
  Telling::after(
      pc, [](Ranges& to, void* it) { (*static_cast<Tell*>(it))(to); }, &tell);
}

// The same for one value, which is null if nobody wants it.
template <typename T>
void tell_write(T* value, std::uintptr_t pc) {
  if (value == nullptr || !is_seen(pc)) return;
  tell_before(pc, [&](Ranges& to) { to.writes(value, sizeof(T)); });
}
template <typename T>
void tell_read(const T* value, std::uintptr_t pc) {
  if (value == nullptr || !is_seen(pc)) return;
  tell_before(pc, [&](Ranges& to) { to.reads(value, sizeof(T)); });
}

// An object such as a mutex is used: as a read of its first bytes, which is
// never an event of its own.  So it must have been made before.
void tell_use(const volatile void* object, std::uintptr_t pc);
// It is made, or ends: as a write of all of it, likewise.
void tell_life(const volatile void* object, std::size_t bytes,
               std::uintptr_t pc);

// Is this /dev/random or /dev/urandom?
bool gives_random_bytes(int file);

// Of hooks.cpp.  A plain access, right before it happens.
void plain_access(std::uintptr_t address, std::size_t size, bool writes,
                  std::uintptr_t pc);
// Do others see this memory?  Then it is looked at for errors of the heap.
bool check_access(std::uintptr_t address, std::size_t size, bool writes,
                  std::uintptr_t pc);
// What is no memory (kHiddenState): where races are found, an access to it.
void note_hidden(std::uintptr_t address, bool writes, std::uintptr_t pc);
// A use of what is not memory only, such as a mutex.
void note_use(std::uintptr_t address, std::uintptr_t pc);
// For people, and for those who look for loops.
void note_access(std::uintptr_t address, std::size_t size, bool writes,
                 std::uintptr_t pc);

}  // namespace plumb::runtime

#define PLUMB_PC_NUMBER \
  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

// `name` is ours under the name stand_in_NAME: the headers of the system have
// declarations of their own for it, and compilers know what it does.
#define PLUMB_STAND_IN(result, name, parameters)                              \
  extern "C" result stand_in_##name parameters asm(#name);                    \
  [[maybe_unused]] static constinit ::plumb::runtime::Real<result parameters> \
      real_##name{#name};                                                     \
  result stand_in_##name parameters

// A stand-in that tells what it touches (`to`) and calls the system's.  What it
// allocates is the test's.
#define PLUMB_TELLS(result, name, parameters, arguments, ...)         \
  PLUMB_STAND_IN(result, name, parameters) {                          \
    if (is_seen(PLUMB_PC_NUMBER)) {                                   \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { __VA_ARGS__; }); \
    }                                                                 \
    return real_##name arguments;                                     \
  }
// The same where it is not.
#define PLUMB_TELLS_QUIETLY(result, name, parameters, arguments, ...) \
  PLUMB_STAND_IN(result, name, parameters) {                          \
    if (is_seen(PLUMB_PC_NUMBER)) {                                   \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { __VA_ARGS__; }); \
    }                                                                 \
    const ::plumb::runtime::InLibrary quiet;                          \
    return real_##name arguments;                                     \
  }
