// SPDX-License-Identifier: Apache-2.0
// Small numbers for the labels that move the specification machine.
#pragma once

#include <cstdint>
#include <vector>

#include "lts/system.h"

namespace plumb::verify {

using ClassId = std::uint32_t;

// Labels with the same number mean the same to the machine.
class LabelClasses {
 public:
  // `point`: 0, or a number that tells steps apart at which operations take
  // effect.  Elsewhere a label is its process, kind, operation and value.
  ClassId number(const lts::Label& label, std::uint32_t point) {
    const Key key(label, point);
    for (std::size_t at = key.hash() & mask();; at = (at + 1) & mask()) {
      if (slots_[at].number == kFree) return add(key);
      if (slots_[at].key == key) return slots_[at].number;
    }
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr ClassId kFree = UINT32_MAX;
  struct Key {
    std::uint64_t value = 0;
    std::uint32_t who = 0, point = 0;

    Key() = default;
    Key(const lts::Label& label, std::uint32_t the_point)
        : value(label.value.word()),
          who((std::uint32_t{label.process} << 24) |
              (static_cast<std::uint32_t>(label.kind) << 16) | label.operation),
          point(the_point) {}
    std::size_t hash() const {
      const std::uint64_t words =
          value ^ (std::uint64_t{who} << 32 | point) * 0xD6E8FEB86659FD93;
      return static_cast<std::size_t>((words * 0x9E3779B97F4A7C15) >> 32);
    }
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Slot {
    Key key;
    ClassId number = kFree;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  ClassId add(const Key& key);

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // at most half full
  std::size_t size_ = 0;
};

}  // namespace plumb::verify
