// SPDX-License-Identifier: Apache-2.0
#include "verify/label_classes.h"

#include <utility>

namespace plumb::verify {

ClassId LabelClasses::add(const Key& key) {
  const auto put = [this](const Slot& slot) {
    std::size_t at = slot.key.hash() & mask();
    while (slots_[at].number != kFree) at = (at + 1) & mask();
    slots_[at] = slot;
  };
  if (2 * (size_ + 1) > slots_.size()) {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.number != kFree) put(slot);
    }
  }
  const auto number = static_cast<ClassId>(size_++);
  put({key, number});
  return number;
}

}  // namespace plumb::verify
