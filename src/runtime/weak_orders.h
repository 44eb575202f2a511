// SPDX-License-Identifier: Apache-2.0
// Atomic operations with weak memory orders, and what if they had others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/fibers.h"

namespace plumb::runtime {

// What an order is given to; kTry: a lock, or the like, that is tried in vain.
enum class Ordered : std::uint8_t { kLoad, kStore, kUpdate, kFailure, kTry };

// An atomic operation in the code.
struct OrderedPlace {
  // Return addresses, innermost first; 0: no more.
  std::uintptr_t stack[3] = {};
  Ordered what = Ordered::kLoad;
  std::uint8_t order = 0;  // as compilers number them
  bool operator==(const OrderedPlace&) const = default;
};

// Those that ran beside other threads.
struct WeakOrders {
  static constexpr std::size_t kMost = 128;  // more are only counted
  std::uint32_t count = 0;
  OrderedPlace places[kMost] = {};
  // Compare-exchanges of which nobody tells whether they are weak: these were
  // not made to fail for no reason.
  bool has_untold = false;
  // `volatile` accesses: an order of threads takes them for relaxed ones, C++
  // and graphs for plain ones.
  bool has_volatile = false;

  bool any() const { return count > 0 || has_volatile; }
  void add(const OrderedPlace& place) {
    for (std::uint32_t i = 0; i < count && i < kMost; ++i) {
      if (places[i] == place) return;
    }
    if (count < kMost) places[count] = place;
    ++count;
  }
  // Without data races and weaker orders, C++ is sequentially consistent, but
  // for that a lock may seem to be taken that is free [BoehmAdve08].
  bool only_tries() const {
    if (has_volatile) return false;
    for (std::uint32_t i = 0; i < count && i < kMost; ++i) {
      if (places[i].what != Ordered::kTry) return false;
    }
    return count <= kMost;
  }
};
extern WeakOrders weak_orders __attribute__((visibility("hidden")));
// ... and those of seq_cst, for who wants to know whether they need to be.
extern bool notes_all_orders __attribute__((visibility("hidden")));

// Where this thread is now.
inline OrderedPlace ordered_place(Ordered what, int order, std::uintptr_t pc) {
  const Fiber& fiber = here();
  const std::uint32_t depth = shown_depth();
  return {{pc, depth > 0 ? fiber.frames[depth - 1] : 0,
           depth > 1 ? fiber.frames[depth - 2] : 0},
          what,
          static_cast<std::uint8_t>(order)};
}

// Asked at every such operation: most were seen a moment ago.
inline constexpr std::size_t kWeakSlots = 256;
extern std::uintptr_t seen_weak[kWeakSlots]
    __attribute__((visibility("hidden")));

extern std::uint64_t seen_sites[kWeakSlots]
    __attribute__((visibility("hidden")));

inline void note_weak_order(Ordered what, int order, std::uintptr_t pc) {
  // Who looks for loops knows the place and all callers by one number.
  const std::uint64_t site = here().next->site + static_cast<unsigned>(what);
  std::uint64_t& known = seen_sites[site % kWeakSlots];
  if (known == site && here().next->site != 0) return;
  known = site;
  const OrderedPlace place = ordered_place(what, order, pc);
  const std::uintptr_t key = pc ^ place.stack[1] << 1 ^ place.stack[2] << 2 ^
                             static_cast<std::uintptr_t>(what) << 60;
  std::uintptr_t& slot = seen_weak[(key ^ key >> 9) % kWeakSlots];
  if (slot == key) return;
  slot = key;
  if (weak_orders.count > WeakOrders::kMost) return;
  weak_orders.add(place);
}

inline void note_untold_exchange() {
  weak_orders.has_untold |= active && !state.is_alone;
}

void forget_weak_orders();

// From now on, operations there have another order than the code says.
struct OtherOrder {
  OrderedPlace place;
  int order = 0;
};
inline constexpr std::size_t kMostOtherOrders = WeakOrders::kMost;
void set_other_orders(const OtherOrder* orders, std::size_t count);
extern std::size_t other_orders __attribute__((visibility("hidden")));
int other_order(Ordered what, int order, std::uintptr_t pc);

// The order that counts.
inline int order_at(Ordered what, int order, std::uintptr_t pc) {
  if (__builtin_expect(other_orders == 0, 1)) return order;
  return other_order(what, order, pc);
}

}  // namespace plumb::runtime
