// SPDX-License-Identifier: Apache-2.0
// The global data of the test, put back before each execution.
//
// It is the writable data of the executable, and what its static objects
// allocated before main (early_memory.h).  Writes that are seen mark lines
// of it, and only those are put back.  Code that is not instrumented, and
// libraries, write unseen: once an execution has come to such code (before
// that, after executions 1, 2, 4, 8, ...) everything is compared, and what was
// changed is put back from then on.  (Of libraries: library_data.h.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plumb::runtime {

namespace globals {
inline constexpr std::size_t kLineBits = 8;
// Hidden, so that finding them takes no look-up.
#pragma GCC visibility push(hidden)
extern std::uintptr_t low;     // of the hull of all data
extern std::size_t size;       // of the hull; 0: no snapshot
extern std::uint8_t* marks;    // by line: was it marked?
extern std::uint32_t* marked;  // the lines that are, in order
extern std::size_t marked_count;
#pragma GCC visibility pop
}  // namespace globals

// Is this byte part of the executable's data?
inline bool in_globals(std::uintptr_t address) {
  return address - globals::low < globals::size;
}

// Requires: in_globals() of the byte.
inline void mark_global(std::uintptr_t address) {
  const std::size_t line = (address - globals::low) >> globals::kLineBits;
  if (globals::marks[line]) return;
  globals::marks[line] = 1;
  globals::marked[globals::marked_count++] = static_cast<std::uint32_t>(line);
}

// These bytes, wherever they are, were or will be written.
inline void globals_written(std::uintptr_t address, std::size_t bytes = 1) {
  constexpr std::size_t kLine = std::size_t{1} << globals::kLineBits;
  const std::uintptr_t last = address + bytes - 1;
  if (!in_globals(address) && !in_globals(last)) return;
  for (std::uintptr_t at = address; at <= last; at = (at | (kLine - 1)) + 1) {
    if (in_globals(at)) mark_global(at);
  }
}

// The parts of that data, which lie in its hull; known once there is a
// snapshot.
struct GlobalRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
std::span<const GlobalRange> global_ranges();
std::size_t global_bytes();  // of all of them

// Calls visit(line, data, bytes) for the parts of that data in which something
// was written in this execution, if they are not as they were at first.
void each_changed_line(void (*visit)(void* context, std::size_t line,
                                     const unsigned char* data,
                                     std::size_t bytes),
                       void* context);

// Executions have come to code, since the snapshot, whose writes nobody marks.
#pragma GCC visibility push(hidden)
extern bool globals_are_written_unseen;
#pragma GCC visibility pop

// Remembers the data as it is now, in place of what was remembered.
void globals_snapshot();
// Puts it back.  Requires: there is a snapshot.
void globals_restore();

}  // namespace plumb::runtime
