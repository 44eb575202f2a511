// SPDX-License-Identifier: Apache-2.0
// Bytes in words, compared or summed up many at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/byte_string.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb::explore {

// Never 0, which is a free slot.  The low bits of a hash: tables are indexed
// by the high ones.
inline std::uint8_t tag_of(std::uint64_t hash) {
  const auto tag = static_cast<std::uint8_t>(hash);
  return tag == 0 ? 1 : tag;
}

// Bit i is set where tag i is `tag`, for i < 12.
#ifdef __SSE2__
inline unsigned match_tags(__m128i all, std::uint8_t tag) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(all, wanted))) &
         0xFFF;
}
#endif
inline unsigned match_tags(std::uint64_t first, std::uint64_t second,
                           std::uint8_t tag) {
#ifdef __SSE2__
  return match_tags(_mm_set_epi64x(static_cast<long long>(second),
                                   static_cast<long long>(first)),
                    tag);
#else
  unsigned found = 0;
  for (unsigned i = 0; i < 12; ++i) {
    const std::uint64_t word = i < 8 ? first : second;
    found |= static_cast<unsigned>((word >> i % 8 * 8 & 0xFF) == tag) << i;
  }
  return found;
#endif
}

// The same for tags in memory; reads 16 bytes, which are aligned.
inline unsigned match_tags(const std::uint8_t* tags, std::uint8_t tag) {
#ifdef __SSE2__
  return match_tags(_mm_load_si128(reinterpret_cast<const __m128i*>(tags)),
                    tag);
#else
  return match_tags(load<std::uint64_t>(tags), load<std::uint64_t>(tags + 8),
                    tag);
#endif
}

// The sum of the 8 bytes of a word.
inline std::uint64_t sum_of_bytes(std::uint64_t word) {
  constexpr std::uint64_t kLanes = 0x00FF00FF00FF00FF;
  const std::uint64_t pairs = (word & kLanes) + (word >> 8 & kLanes);
  return pairs * 0x0001000100010001 >> 48;
}

// The sum of the first `count` bytes of seven words, which `word(i)` gives;
// no branch depends on `count`.
template <typename Word>
std::size_t sum_of_first_bytes(Word word, std::size_t count) {
#ifdef __SSE2__
  static constexpr auto kOnes = [] {
    std::array<std::uint8_t, 128> bytes{};
    for (std::size_t i = 0; i < 64; ++i) bytes[i] = 0xFF;
    return bytes;
  }();
  __m128i sums = _mm_setzero_si128();
  for (std::size_t i = 0; i < 8; i += 2) {
    const std::uint64_t second = i + 1 < 7 ? word(i + 1) : 0;
    const __m128i pair = _mm_set_epi64x(static_cast<long long>(second),
                                        static_cast<long long>(word(i)));
    const __m128i mask = _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(kOnes.data() + 64 - count + i * 8));
    sums = _mm_add_epi64(
        sums, _mm_sad_epu8(_mm_and_si128(pair, mask), _mm_setzero_si128()));
  }
  return static_cast<std::size_t>(_mm_cvtsi128_si64(sums)) +
         static_cast<std::size_t>(
             _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
#else
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count / 8; ++i) sum += sum_of_bytes(word(i));
  if (count % 8 == 0) return sum;
  const std::uint64_t ones = (std::uint64_t{1} << count % 8 * 8) - 1;
  return sum + sum_of_bytes(word(count / 8) & ones);
#endif
}

}  // namespace plumb::explore
