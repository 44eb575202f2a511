// SPDX-License-Identifier: Apache-2.0
// Hash compaction: a table of fingerprints, eight bytes for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "explore/fingerprint_set.h"
#include "explore/memory.h"

namespace plumb::explore {

// Keeps fingerprints instead of states [WolperLeroy93]; two states with the
// same one are taken for one state.
//
// The first bits of a fingerprint choose a part.  A part is a sorted array
// with gaps: a fingerprint stands at its home, which is its place if all were
// spread evenly, or behind it, with no gap between.  That is linear probing
// which can stop at the first larger entry [AmbleKnuth74]; it makes nearly
// full tables fast enough, and growing is a copy in order.  Parts grow one at
// a time, so that the old copy of one is all that is ever held twice.
class FingerprintTable : public FingerprintSet {
 public:
  // `bits`: how many of the 64 are looked at; fewer are for tests.
  // Requires: 6 <= bits <= 64.
  explicit FingerprintTable(unsigned bits = 64) : bits_(bits) {}

  Answer insert(std::uint64_t fingerprint) override;
  void prefetch(std::uint64_t fingerprint) const override {
    const Part& part = part_of(fingerprint);
    if (part.homes != 0)
      __builtin_prefetch(&part.slots()[part.home(fingerprint)]);
  }
  double known_share() const override;
  std::size_t bytes() const override;
  std::size_t size() const { return size_; }

 private:
  static constexpr unsigned kPartBits = 6;
  static constexpr std::size_t kFew = 64;

  struct Part {
    Memory memory;
    std::size_t homes = 0;
    std::size_t used = 0;

    // Some more than homes, for those that find no place at the last ones.
    // The last slot of all stays free.
    std::size_t slot_count() const { return homes + homes / 64 + kFew; }
    std::uint64_t* slots() const {
      return reinterpret_cast<std::uint64_t*>(memory.data());
    }
    std::size_t home(std::uint64_t fingerprint) const {
      __extension__ using Wide = unsigned __int128;
      return static_cast<std::size_t>(
          static_cast<Wide>(fingerprint << kPartBits) * homes >> 64);
    }
    bool is_nearly_full() const { return used >= homes - homes / 8; }
    // The slot of the fingerprint, or the one where it belongs.
    std::size_t find(std::uint64_t fingerprint) const;
    // Returns false if no slot is free behind `at`.
    bool put(std::size_t at, std::uint64_t fingerprint);
    bool grow();
    bool copy_to(Part& larger) const;
  };

  const Part& part_of(std::uint64_t fingerprint) const {
    return parts_[fingerprint >> (64 - kPartBits)];
  }

  unsigned bits_;
  std::array<Part, std::size_t{1} << kPartBits> parts_;
  bool has_zero_ = false;  // 0 means a free slot
  std::size_t size_ = 0;
};

}  // namespace plumb::explore
