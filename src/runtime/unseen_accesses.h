// SPDX-License-Identifier: Apache-2.0
// Accesses that were found by the audit, as hooks would have told them.
#pragma once

#include <cstdint>

namespace plumb::runtime {

struct Unseen {
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  bool reads = false;
  bool writes = false;
  std::uintptr_t pc = 0;  // as if a hook had been called from there
  // Not all executions see it: what threads have seen must not depend on it.
  bool is_of_library = false;
};

// Of code that does nothing but plain accesses.
void plain_unseen(const Unseen& access);
// Would it be a data race, if all bytes are meant?  Nothing that the race
// detector says means anything then.
bool races_unseen(const Unseen& access);
// Of code that may mean it to be atomic: an event, as strong as can be.
void atomic_unseen(const Unseen& access);

}  // namespace plumb::runtime
