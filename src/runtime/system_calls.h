// SPDX-License-Identifier: Apache-2.0
// Which memory a system call reads and writes, by its arguments.
#pragma once

#include <cstdint>

namespace plumb::runtime {

struct CallTouch {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
  // Is that known of this call?  Else its arguments look like pointers, and
  // the kernel may do anything there.
  bool is_known = true;
};

// Calls visit(context, touch) for each piece of memory.  What lists of pieces
// hold is read, so it must be there.
void each_touch(long number, const std::uint64_t (&arguments)[6],
                void (*visit)(void*, const CallTouch&), void* context);

}  // namespace plumb::runtime
