// SPDX-License-Identifier: Apache-2.0
// Memory that the test maps in an execution: mmap, mremap, sbrk.
//
// It lies at the same places in every execution, what a thread maps in an arena
// of its own (as with heap.h), and is gone when the next one begins.  Unmapping
// is a write of all that was used.
//
// LIMIT: of System V shared memory (shmat) and of what the C library maps for
// itself nothing is known.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/audit_signals.h"

namespace plumb::runtime {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  int access = 0;            // PROT_READ, ...
  std::uint64_t file = 0;    // see mapped_file(); 0: none
  std::uint64_t offset = 0;  // ... from which of its bytes on
  bool is_shared = false;    // with others who map it

  bool contains(std::uintptr_t address) const {
    return address - begin < end - begin;
  }
};

// A number for a file.
inline std::uint64_t mapped_file(const struct stat& about) {
  return (about.st_dev << 40 ^ about.st_ino) | std::uint64_t{1} << 63;
}

// Of this execution, in no order.
std::span<const Mapping> mappings();

// Calls visit(context, begin, bytes) for the pages that were used of what can
// be read.
void each_mapped_page(void (*visit)(void*, std::uintptr_t, std::size_t),
                      void* context);

// After an execution: unmaps all of it.
void unmap_all();

// A system call of the test's about memory.  Returns false if it is none.
bool map_by_call(long number, const CallArguments& arguments, std::uintptr_t pc,
                 long& result);

}  // namespace plumb::runtime
