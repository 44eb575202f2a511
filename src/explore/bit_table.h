// SPDX-License-Identifier: Apache-2.0
// Bitstate hashing: a table of bits, a few of them for each fingerprint.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "explore/fingerprint_set.h"
#include "explore/memory.h"

namespace plumb::explore {

// A Bloom filter, as SPIN has it [Holzmann98]: a fingerprint whose bits are
// all set is taken for known.  The table never grows; it only becomes less
// sure.
//
// Where the bits stand is drawn three times from the whole table, so that the
// share of fingerprints taken for known is just the third power of the share
// of bits that are set.
class BitTable : public FingerprintSet {
 public:
  static constexpr int kBits = 3;  // for each fingerprint

  // Takes whole words: at least one.
  explicit BitTable(std::size_t bytes);

  Answer insert(std::uint64_t fingerprint) override;
  void prefetch(std::uint64_t fingerprint) const override;
  double known_share() const override;
  std::size_t bytes() const override { return words_ * sizeof(std::uint64_t); }
  std::uint64_t bits_set() const { return bits_set_; }

 private:
  struct Place {
    std::size_t word;
    std::uint64_t bit;
  };
  std::array<Place, kBits> places(std::uint64_t fingerprint) const;
  std::uint64_t* words() const {
    return reinterpret_cast<std::uint64_t*>(memory_.data());
  }

  std::size_t words_;
  Memory memory_;
  std::uint64_t bits_set_ = 0;
};

}  // namespace plumb::explore
