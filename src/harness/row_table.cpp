// SPDX-License-Identifier: Apache-2.0
#include "harness/row_table.h"

#include <algorithm>

namespace plumb::harness {

namespace {

// Both halves of the product: every bit of the factors reaches many of it.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kOneMixer = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kOtherMixer = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kOtherSeed = 0x165667B19E3779F9;

}  // namespace

std::uint64_t hash_row(std::span<const std::uint64_t> row, std::uint64_t seed) {
  std::uint64_t hash = seed ^ mix(row.size() ^ kOneMixer, kOtherMixer);
  std::size_t i = 0;
  for (; i + 1 < row.size(); i += 2) {
    hash =
        mix(hash ^ row[i] ^ kOtherMixer, row[i + 1] ^ kOneMixer) + (hash << 1);
  }
  if (i < row.size()) hash = mix(hash ^ row[i] ^ kOtherMixer, kOneMixer);
  return mix(hash, kOtherMixer);
}

std::pair<std::uint64_t, std::uint64_t> hash_row_twice(
    std::span<const std::uint64_t> row) {
  return {hash_row(row, 0), hash_row(row, kOtherSeed)};
}

bool RowTable::is_row(const Entry& entry,
                      std::span<const std::uint64_t> row) const {
  return entry.length == row.size() &&
         std::equal(row.begin(), row.end(),
                    words_.begin() + static_cast<std::ptrdiff_t>(entry.offset));
}

std::uint32_t& RowTable::operator[](std::span<const std::uint64_t> row) {
  if (3 * (entries_.size() + 1) > 2 * slots_.size()) grow();
  const std::uint64_t hash = hash_row(row, 0);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && is_row(entry, row)) return entry.number;
  }
  entries_.push_back(
      {hash, words_.size(), static_cast<std::uint32_t>(row.size()), 0});
  words_.insert(words_.end(), row.begin(), row.end());
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  return entries_.back().number;
}

void RowTable::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = i + 1;
  }
}

}  // namespace plumb::harness
