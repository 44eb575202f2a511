// SPDX-License-Identifier: Apache-2.0
// Sets of small numbers: one word where that is enough, several elsewhere.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace plumb::check {

class NarrowMask {
 public:
  static constexpr std::size_t kCapacity = 64;
  explicit NarrowMask(std::size_t = 0) {}

  bool test(std::size_t i) const { return (word_ >> i & 1) != 0; }
  void set(std::size_t i) { word_ |= std::uint64_t{1} << i; }
  void reset(std::size_t i) { word_ &= ~(std::uint64_t{1} << i); }
  bool is_subset_of(const NarrowMask& other) const {
    return (word_ & ~other.word_) == 0;
  }
  friend bool operator==(const NarrowMask&, const NarrowMask&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const NarrowMask& mask) {
    return H::combine(std::move(h), mask.word_);
  }

 private:
  std::uint64_t word_ = 0;
};

class WideMask {
 public:
  explicit WideMask(std::size_t size = 0) : words_((size + 63) / 64) {}

  bool test(std::size_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void reset(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }
  bool is_subset_of(const WideMask& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & ~other.words_[i]) != 0) return false;
    }
    return true;
  }
  friend bool operator==(const WideMask&, const WideMask&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const WideMask& mask) {
    return H::combine(std::move(h), mask.words_);
  }

 private:
  absl::InlinedVector<std::uint64_t, 4> words_;
};

}  // namespace plumb::check
