// SPDX-License-Identifier: Apache-2.0
// Numbers in as few bytes as they need: seven bits in each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::explore {

inline constexpr std::size_t kMostVarintBytes = 10;

// Both return the address behind the number.
inline std::uint8_t* write_varint(std::uint8_t* to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) {
    *to++ = static_cast<std::uint8_t>(number | 0x80);
  }
  *to++ = static_cast<std::uint8_t>(number);
  return to;
}
inline const std::uint8_t* read_varint(const std::uint8_t* from,
                                       std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *from++;
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return from;
  }
}

}  // namespace plumb::explore
