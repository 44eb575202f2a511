// SPDX-License-Identifier: Apache-2.0
#include "explore/fingerprint_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumb::explore {

std::size_t FingerprintTable::Part::find(std::uint64_t fingerprint) const {
  const std::uint64_t* const slot = slots();
  std::size_t at = home(fingerprint);
  while (slot[at] != 0 && slot[at] < fingerprint) ++at;
  return at;
}

bool FingerprintTable::Part::put(std::size_t at, std::uint64_t fingerprint) {
  std::uint64_t* const slot = slots();
  std::size_t free = at;
  while (slot[free] != 0) ++free;
  if (free == slot_count() - 1) return false;
  std::copy_backward(slot + at, slot + free, slot + free + 1);
  slot[at] = fingerprint;
  ++used;
  return true;
}

// Returns false if too many are near the end of `larger`.
bool FingerprintTable::Part::copy_to(Part& larger) const {
  if (homes == 0) return true;
  const std::uint64_t* const from = slots();
  std::uint64_t* const to = larger.slots();
  const std::size_t end = larger.slot_count() - 1;
  std::size_t next = 0;
  for (std::size_t i = 0; i < slot_count(); ++i) {
    if (from[i] == 0) continue;
    next = std::max(next, larger.home(from[i]));
    if (next == end) return false;
    to[next++] = from[i];
  }
  larger.used = used;
  return true;
}

// By a quarter: the table is 70 to 88 % full, and a fingerprint is copied
// five times on average.
bool FingerprintTable::Part::grow() {
  for (std::size_t wanted = homes;;) {
    wanted += wanted / 4 + kFew;
    Part larger;
    larger.homes = wanted;
    larger.memory = Memory(larger.slot_count() * sizeof(std::uint64_t));
    if (!larger.memory) return false;
    if (!copy_to(larger)) continue;
    *this = std::move(larger);
    return true;
  }
}

FingerprintSet::Answer FingerprintTable::insert(std::uint64_t fingerprint) {
  if (bits_ < 64) fingerprint &= ~(~std::uint64_t{0} >> bits_);
  if (fingerprint == 0) {
    if (std::exchange(has_zero_, true)) return Answer::kKnown;
    ++size_;
    return Answer::kNew;
  }
  Part& part = parts_[fingerprint >> (64 - kPartBits)];
  std::size_t at = 0;
  if (part.homes != 0) {
    at = part.find(fingerprint);
    if (part.slots()[at] == fingerprint) return Answer::kKnown;
  }
  while (part.is_nearly_full() || !part.put(at, fingerprint)) {
    if (!part.grow()) return Answer::kFull;
    at = part.find(fingerprint);
  }
  ++size_;
  return Answer::kNew;
}

double FingerprintTable::known_share() const {
  return std::ldexp(static_cast<double>(size_), -static_cast<int>(bits_));
}

std::size_t FingerprintTable::bytes() const {
  std::size_t sum = 0;
  for (const Part& part : parts_) sum += part.memory.size();
  return sum;
}

}  // namespace plumb::explore
