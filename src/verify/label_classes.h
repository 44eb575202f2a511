// SPDX-License-Identifier: Apache-2.0
// Small numbers for the labels that move the specification machine.
#pragma once

#include <cstdint>

#include "lts/system.h"
#include "verify/shared_numbers.h"

namespace plumb::verify {

using ClassId = std::uint32_t;

// Labels with the same number mean the same to the machine.
class LabelClasses {
 public:
  // `point`: 0, or a number that tells steps apart at which operations take
  // effect.  Elsewhere a label is its process, kind, operation and value.
  ClassId number(const lts::Label& label, std::uint32_t point) {
    return numbers_.number({label.value.word(),
                            (std::uint32_t{label.process} << 24) |
                                (static_cast<std::uint32_t>(label.kind) << 16) |
                                label.operation,
                            point});
  }
  void tidy() { numbers_.tidy(); }
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Key {
    std::uint64_t value = 0;
    std::uint32_t who = 0, point = 0;

    std::size_t hash() const {
      const std::uint64_t words =
          value ^ (std::uint64_t{who} << 32 | point) * 0xD6E8FEB86659FD93;
      return static_cast<std::size_t>((words * 0x9E3779B97F4A7C15) >> 32);
    }
    friend bool operator==(const Key&, const Key&) = default;
  };

  SharedNumbers<Key> numbers_;
};

}  // namespace plumb::verify
