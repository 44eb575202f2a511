// SPDX-License-Identifier: Apache-2.0
// Atomics of any size, as libatomic has them: one event each.
#pragma once

#include <cstdint>

#include "runtime/core.h"

namespace plumb::runtime {

struct LargeAtomic {
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  Kind kind = Kind::kRead;
  int order = 0;
  int failure = 0;  // the order of an update that did not take place
  std::uintptr_t pc = 0;
};

// Of hooks.cpp.  At its turn `change(bytes, context)` reads the bytes or
// changes them, and says whether it did.  Requires: active.
bool atomic_bytes(const LargeAtomic& what, bool (*change)(void*, void*),
                  void* context);

}  // namespace plumb::runtime
