// SPDX-License-Identifier: Apache-2.0
// Slots with versions, of which relaxed queues and stacks choose one.
#pragma once

#include <plumb/test.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

// A number and its version in one word.
struct alignas(8) Versioned {
  std::uint32_t number = 0;
  std::uint32_t version = 0;

  Versioned changed_to(std::uint32_t other) const {
    return {other, version + 1};
  }
  friend bool operator==(Versioned, Versioned) = default;
};

// In a slot; 0: nothing.
using Slot = std::atomic<Versioned>;

struct Found {
  std::uint32_t index;
  Versioned slot;
};

// The first free slot; the last slot if there is none.  Which one it is does
// not matter, as those who take items choose.
template <std::size_t kSlots>
Found find_free(const std::array<Slot, kSlots>& slots) {
  for (std::uint32_t i = 0;; ++i) {
    const Versioned slot = slots[i].load(std::memory_order_acquire);
    if (slot.number == 0 || i == kSlots - 1) return {i, slot};
  }
}

template <std::size_t kSlots>
std::array<Versioned, kSlots> collect(const std::array<Slot, kSlots>& slots) {
  std::array<Versioned, kSlots> seen;
  for (std::size_t i = 0; i < kSlots; ++i) {
    seen[i] = slots[i].load(std::memory_order_acquire);
  }
  return seen;
}

// Any slot that was seen with an item; a free one if there is none.
template <std::size_t kSlots>
Found choose_item(const std::array<Versioned, kSlots>& seen) {
  std::array<Found, kSlots> found{};
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    if (seen[i].number != 0) found[count++] = {i, seen[i]};
  }
  return found[count > 1 ? plumb::choose(count) : 0];
}

inline bool swap_slot(Slot& slot, Versioned from, std::uint32_t to) {
  return slot.compare_exchange_strong(from, from.changed_to(to),
                                      std::memory_order_acq_rel,
                                      std::memory_order_relaxed);
}
