// SPDX-License-Identifier: Apache-2.0
// Hashing and comparing short strings of bytes, eight at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace plumb {

template <typename Word>
inline Word load(const std::uint8_t* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The two halves of a 128-bit product, folded: each bit of the result depends
// on nearly all bits of both factors.
inline std::uint64_t multiply_and_fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

// One multiplication for 16 bytes, two at a time for long strings.  The tail
// is read as two words that may overlap, so that no length needs a loop over
// single bytes; the length is hashed too, which tells "a" from "a\0".
inline std::uint64_t hash_bytes(const std::uint8_t* p, std::size_t n) {
  constexpr std::uint64_t k0 = 0x9E3779B97F4A7C15, k1 = 0xD6E8FEB86659FD93,
                          k2 = 0xA0761D6478BD642F;
  std::uint64_t seed = (n + k0) * k1;
  if (n > 32) {
    std::uint64_t other = seed ^ k2;
    for (; n > 32; n -= 32, p += 32) {
      seed = multiply_and_fold(load<std::uint64_t>(p) ^ k1,
                               load<std::uint64_t>(p + 8) ^ seed);
      other = multiply_and_fold(load<std::uint64_t>(p + 16) ^ k2,
                                load<std::uint64_t>(p + 24) ^ other);
    }
    seed ^= other;
  }
  if (n > 16) {
    seed = multiply_and_fold(load<std::uint64_t>(p) ^ k1,
                             load<std::uint64_t>(p + 8) ^ seed);
    p += 16;
    n -= 16;
  }
  std::uint64_t a = 0, b = 0;
  if (n >= 8) {
    a = load<std::uint64_t>(p);
    b = load<std::uint64_t>(p + n - 8);
  } else if (n >= 4) {
    a = load<std::uint32_t>(p);
    b = load<std::uint32_t>(p + n - 4);
  } else if (n > 0) {
    a = static_cast<std::uint64_t>(p[0]) << 16 |
        static_cast<std::uint64_t>(p[n / 2]) << 8 | p[n - 1];
  }
  return multiply_and_fold(k2, multiply_and_fold(a ^ k1, b ^ seed));
}

inline std::uint64_t hash_words(std::span<const std::uint32_t> words) {
  return hash_bytes(reinterpret_cast<const std::uint8_t*>(words.data()),
                    words.size_bytes());
}

// memcmp() == 0, without the call: states are short and mostly equal.
inline bool same_bytes(const std::uint8_t* a, const std::uint8_t* b,
                       std::size_t n) {
  if (n < 8) {
    if (n >= 4) {
      return ((load<std::uint32_t>(a) ^ load<std::uint32_t>(b)) |
              (load<std::uint32_t>(a + n - 4) ^
               load<std::uint32_t>(b + n - 4))) == 0;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  if (n > 256) return std::memcmp(a, b, n) == 0;
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    if (load<std::uint64_t>(a + i) != load<std::uint64_t>(b + i)) return false;
  }
  return load<std::uint64_t>(a + n - 8) == load<std::uint64_t>(b + n - 8);
}

}  // namespace plumb
