// SPDX-License-Identifier: Apache-2.0
#include "verify/move_cache.h"

#include <utility>

namespace plumb::verify {

void MoveCache::put(const Slot& slot) {
  std::size_t at = home(slot.set, slot.number);
  while (slots_[at].next != kUnknown) at = (at + 1) & mask();
  slots_[at] = slot;
}

void MoveCache::add(SetId set, ClassId number, SetId next) {
  if (2 * (size_ + 1) > slots_.size()) {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.next != kUnknown) put(slot);
    }
  }
  ++size_;
  put({set, number, next});
}

}  // namespace plumb::verify
