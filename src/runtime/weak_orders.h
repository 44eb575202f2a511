// SPDX-License-Identifier: Apache-2.0
// Which atomic operations of the test have memory orders weaker than seq_cst.
//
// What those allow beyond sequential consistency is not explored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/fibers.h"

namespace plumb::runtime {

// Those that ran beside other threads.
struct WeakOrders {
  static constexpr std::size_t kMost = 16;  // more are only counted
  // Return addresses, innermost first; 0: no more.
  struct Place {
    std::uintptr_t stack[3] = {};
    bool operator==(const Place&) const = default;
  };

  std::uint32_t count = 0;
  Place places[kMost] = {};
  // Compare-exchanges of which nobody tells whether they are weak: these were
  // not made to fail for no reason.
  bool has_untold = false;

  void add(const Place& place) {
    for (std::uint32_t i = 0; i < count && i < kMost; ++i) {
      if (places[i] == place) return;
    }
    if (count < kMost) places[count] = place;
    ++count;
  }
};
extern WeakOrders weak_orders __attribute__((visibility("hidden")));

// Asked at every such operation: most were seen a moment ago.
inline constexpr std::size_t kWeakSlots = 256;
extern std::uintptr_t seen_weak[kWeakSlots]
    __attribute__((visibility("hidden")));

inline void note_weak_order(std::uintptr_t pc) {
  const Fiber& fiber = here();
  const std::uint32_t depth = shown_depth();
  const std::uintptr_t caller = depth > 0 ? fiber.frames[depth - 1] : 0;
  const std::uintptr_t key = pc ^ caller << 1;
  std::uintptr_t& slot = seen_weak[(key ^ key >> 9) % kWeakSlots];
  if (slot == key) return;
  slot = key;
  if (weak_orders.count > WeakOrders::kMost) return;
  weak_orders.add({{pc, caller, depth > 1 ? fiber.frames[depth - 2] : 0}});
}

inline void note_untold_exchange() {
  weak_orders.has_untold |= active && !state.is_alone;
}

void forget_weak_orders();

}  // namespace plumb::runtime
