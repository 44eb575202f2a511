// SPDX-License-Identifier: Apache-2.0
// Permutations of few names as small numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lts/symmetry.h"

namespace plumb::lts {

// LIMIT: of names, so that a number has 16 bits.
inline constexpr std::size_t kMostNumbered = 8;

// Of a permutation that leaves all from kMostNumbered on as they are; 0 is the
// identity.  Digit i, in the factorial number system, says how many of those
// behind i get a smaller name.
constexpr std::uint16_t number_of(Permutation permutation) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < kMostNumbered; ++i) {
    std::uint32_t smaller = 0;
    for (std::size_t j = i + 1; j < kMostNumbered; ++j) {
      if (permutation[j] < permutation[i]) ++smaller;
    }
    number = number * static_cast<std::uint32_t>(kMostNumbered - i) + smaller;
  }
  return static_cast<std::uint16_t>(number);
}

constexpr Permutation permutation_of(std::uint16_t number) {
  std::size_t digits[kMostNumbered] = {};
  std::uint32_t rest = number;
  for (std::size_t i = kMostNumbered; i-- > 0;) {
    const auto base = static_cast<std::uint32_t>(kMostNumbered - i);
    digits[i] = rest % base;
    rest /= base;
  }
  Permutation made;
  std::uint32_t used = 0;
  for (std::size_t i = 0; i < kMostNumbered; ++i) {
    std::size_t name = 0;
    for (std::size_t left = digits[i]; (used >> name & 1) != 0 || left > 0;
         ++name) {
      if ((used >> name & 1) == 0) --left;
    }
    used |= 1u << name;
    made.set(i, name);
  }
  return made;
}

}  // namespace plumb::lts
