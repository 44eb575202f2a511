// SPDX-License-Identifier: Apache-2.0
// Memory that the test's static objects got before main: globals, in effect.
//
// It lies just below the executable, so that one range holds it and the
// executable's data, and is put back before each execution as that is.
//
// LIMIT: what malloc gives to other libraries at that time, and what goes
// beyond kEarlyBytes, stays as executions leave it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

inline constexpr std::size_t kEarlyBytes = std::size_t{4} << 20;

namespace early {
#pragma GCC visibility push(hidden)
extern bool open;             // are allocations served from it now?
extern std::uintptr_t begin;  // 0: there is no such memory
#pragma GCC visibility pop
}  // namespace early

inline bool is_early(const void* pointer) {
  return early::begin != 0 &&
         reinterpret_cast<std::uintptr_t>(pointer) - early::begin < kEarlyBytes;
}

// Null if it is closed or full.
void* allocate_early(std::size_t bytes, std::size_t alignment);
// Is `pc` in the executable, so that what it allocates is the test's?
bool is_in_executable(std::uintptr_t pc);
// Of a block that allocate_early() gave.
std::size_t early_size_of(const void* block);
// The bytes in use, from early::begin on.
std::size_t early_bytes();

// From now on nothing is served from it.
void close_early_memory();

// While it lives, allocations are the tool's, not the test's.
class NotEarly {
 public:
  NotEarly() : was_open_(early::open) { early::open = false; }
  ~NotEarly() { early::open = was_open_; }
  NotEarly(const NotEarly&) = delete;
  NotEarly& operator=(const NotEarly&) = delete;

 private:
  bool was_open_;
};

}  // namespace plumb::runtime
