// SPDX-License-Identifier: Apache-2.0
// Remembers where sets of configurations move.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/configuration_sets.h"
#include "verify/label_classes.h"

namespace plumb::verify {

// A hash table with the moves of one set next to each other: a search asks for
// several of them at a time, which then cost one access to memory.
class MoveCache {
 public:
  static constexpr SetId kUnknown = UINT32_MAX;

  SetId find(SetId set, ClassId number) const {
    for (std::size_t at = home(set, number);; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.set == set && slot.number == number) return slot.next;
      if (slot.next == kUnknown) return kUnknown;
    }
  }
  // Requires: it is not there.
  void add(SetId set, ClassId number, SetId next);
  void prefetch(SetId set, ClassId number) const {
    __builtin_prefetch(&slots_[home(set, number)]);
  }

 private:
  struct Slot {
    SetId set = 0;
    ClassId number = 0;
    SetId next = kUnknown;  // that is: free
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(SetId set, ClassId number) const {
    const std::uint64_t spread = set * std::uint64_t{0x9E3779B97F4A7C15};
    return (static_cast<std::size_t>(spread >> 32) + number) & mask();
  }
  void put(const Slot& slot);

  std::vector<Slot> slots_ = std::vector<Slot>(256);  // at most half full
  std::size_t size_ = 0;
};

}  // namespace plumb::verify
