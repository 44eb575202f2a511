// SPDX-License-Identifier: Apache-2.0
// A table beside the states, one entry for each id.
#pragma once

#include <cassert>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "explore/memory.h"

namespace plumb::explore {

// Like a vector that only grows, but nothing ever moves, so that growing
// takes no memory twice; and running out of memory is an answer.
template <typename T>
class SideTable {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert((sizeof(T) & (sizeof(T) - 1)) == 0, "for shifts");

 public:
  SideTable() = default;
  SideTable(SideTable&& other) noexcept
      : chunks_(std::move(other.chunks_)),
        size_(std::exchange(other.size_, 0)) {}
  SideTable& operator=(SideTable&& other) noexcept {
    chunks_ = std::move(other.chunks_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  // Returns false, and changes nothing, if there is no more memory.
  bool push_back(const T& entry) {
    if (size_ / kPerChunk == chunks_.size() && !add_chunk()) return false;
    *(new (address(size_)) T) = entry;
    ++size_;
    return true;
  }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return *address(i);
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return *address(i);
  }
  // Requires: size <= size().
  void shrink_to(std::size_t size) { size_ = size; }
  T& back() { return (*this)[size_ - 1]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Memory held, as far as it is used.
  std::size_t bytes() const { return size_ * sizeof(T); }
  void prefetch(std::size_t i) const { __builtin_prefetch(address(i)); }

 private:
  // Chunks of 1 MiB, the first ones too: untouched pages cost nothing.
  static constexpr std::size_t kPerChunk = (std::size_t{1} << 20) / sizeof(T);
  static constexpr std::size_t kMask = kPerChunk - 1;

  T* address(std::size_t i) const {
    return reinterpret_cast<T*>(chunks_[i / kPerChunk].data()) + (i & kMask);
  }
  bool add_chunk() {
    Memory chunk(kPerChunk * sizeof(T));
    if (!chunk) return false;
    try {
      chunks_.push_back(std::move(chunk));
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  std::vector<Memory> chunks_;
  std::size_t size_ = 0;
};

}  // namespace plumb::explore
