// SPDX-License-Identifier: Apache-2.0
#include "explore/bit_table.h"

#include <algorithm>

namespace plumb::explore {

BitTable::BitTable(std::size_t bytes)
    : words_(std::max<std::size_t>(bytes / sizeof(std::uint64_t), 1)),
      memory_(words_ * sizeof(std::uint64_t)) {}

std::array<BitTable::Place, BitTable::kBits> BitTable::places(
    std::uint64_t fingerprint) const {
  __extension__ using Wide = unsigned __int128;
  std::array<Place, kBits> out;
  for (Place& place : out) {
    // The whole part of a random share of all words says which word, and the
    // first bits behind it which bit.
    const Wide at = static_cast<Wide>(fingerprint) * words_;
    place.word = static_cast<std::size_t>(at >> 64);
    place.bit = std::uint64_t{1} << (static_cast<std::uint64_t>(at) >> 58);
    // The next one of a generator whose states are all different and whose
    // values have nothing to do with each other: splitmix64.
    fingerprint += 0x9E3779B97F4A7C15;
    fingerprint = (fingerprint ^ fingerprint >> 30) * 0xBF58476D1CE4E5B9;
    fingerprint = (fingerprint ^ fingerprint >> 27) * 0x94D049BB133111EB;
    fingerprint ^= fingerprint >> 31;
  }
  return out;
}

FingerprintSet::Answer BitTable::insert(std::uint64_t fingerprint) {
  if (!memory_) return Answer::kFull;
  std::uint64_t fresh = 0;
  for (const Place& place : places(fingerprint)) {
    std::uint64_t& word = words()[place.word];
    fresh += (word & place.bit) == 0;
    word |= place.bit;
  }
  bits_set_ += fresh;
  return fresh == 0 ? Answer::kKnown : Answer::kNew;
}

void BitTable::prefetch(std::uint64_t fingerprint) const {
  if (!memory_) return;
  for (const Place& place : places(fingerprint)) {
    __builtin_prefetch(&words()[place.word]);
  }
}

double BitTable::known_share() const {
  const double share =
      static_cast<double>(bits_set_) / (static_cast<double>(words_) * 64);
  return share * share * share;
}

}  // namespace plumb::explore
