// SPDX-License-Identifier: Apache-2.0
// Records of one length, by number, for several threads at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "explore/memory.h"

namespace plumb::explore {

// Nothing ever moves.  A record exists once its chunk is there, zeroed.  How
// many chunks there can be is set while one thread is alone; after that, any
// thread may add a chunk, one at a time, while others use those that they
// know to be there.
class Records {
 public:
  // Records come in groups that no chunk cuts in two.
  static constexpr std::size_t kGroup = 56;

  // Untouched pages of a chunk cost nothing, so only address space is spent.
  static constexpr std::size_t kChunk = std::size_t{4} << 20;

  explicit Records(std::size_t record_bytes = 0, std::size_t chunk = kChunk)
      : bytes_(record_bytes) {
    const std::size_t group = kGroup * (bytes_ == 0 ? 1 : bytes_);
    while (shift_ < 24 && (group << shift_) < chunk) ++shift_;
  }

  std::size_t record_bytes() const { return bytes_; }
  std::uint8_t* address(std::size_t i) const {
    const std::size_t chunk = (i / kGroup) >> shift_;
    return chunks_[chunk].data() + (i - chunk * (kGroup << shift_)) * bytes_;
  }
  // Requires: this thread is alone.  Returns false if there is no memory.
  bool allow(std::size_t records) {
    const std::size_t chunks = records / (kGroup << shift_) + 1;
    if (chunks <= chunks_.size()) return true;
    try {
      chunks_.resize(chunks);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  // Makes the chunk of record i, which is allowed, if it is not there.
  bool cover(std::size_t i) {
    Memory& chunk = chunks_[(i / kGroup) >> shift_];
    if (!chunk) chunk = Memory((kGroup << shift_) * bytes_);
    return static_cast<bool>(chunk);
  }
  // Gives back the chunks that have only records before record i.
  void forget_before(std::size_t i) {
    const std::size_t chunk = (i / kGroup) >> shift_;
    if (chunk > 0 && chunks_[chunk - 1]) chunks_[chunk - 1] = Memory();
  }

 private:
  std::size_t bytes_;
  unsigned shift_ = 0;
  std::vector<Memory> chunks_;
};

}  // namespace plumb::explore
