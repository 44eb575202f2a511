// SPDX-License-Identifier: Apache-2.0
// Assignments of structures, as GCC announces them: write, read, then copy.
//
// So a write that is followed by a read of as many bytes, while nothing has
// changed, may be a copy that is still to come: where accesses are events, the
// read counts as both.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/core.h"
#include "runtime/fibers.h"

namespace plumb::runtime {

// Reads up to 8 bytes as a number.
inline std::uint64_t peek(std::uintptr_t address, std::uint32_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address),
              size < 8 ? size : 8);
  return value;
}

inline std::uint64_t hash_of(std::uintptr_t address, std::uint32_t size) {
  std::uint64_t hash = size;
  for (; size > 8; size -= 8, address += 8) hash = mix(hash, peek(address, 8));
  return mix(hash, peek(address, size));
}

struct AnnouncedWrite {
  std::uint32_t run = 0;
  std::uint32_t step = 0;  // the next one, after that of the write
  ThreadId thread = 0;
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  std::uint64_t held = 0;

  bool may_be_copied(std::uint32_t bytes) const {
    return run == run_number && step == state.steps &&
           thread == state.current && size == bytes &&
           hash_of(address, bytes) == held;
  }
};

}  // namespace plumb::runtime
