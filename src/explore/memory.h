// SPDX-License-Identifier: Apache-2.0
// Large blocks of memory, asked for without exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace plumb::explore {

// Zeroed bytes, aligned to a cache line.  Large ones come straight from the
// system, in large pages where it has them (a random access then costs one
// miss, not two), count as our memory only as far as they are touched, and go
// back to the system when they are freed.  Where memory is short they may lie
// on disk: see Spill.
class Memory {
 public:
  Memory() = default;
  // How a block is used, which matters where memory is short.
  enum class Use : std::uint8_t {
    kMostlyLate,  // what was written last is read most
    kAnywhere,    // better kept in memory than others
  };
  // Holds nothing, data() == nullptr, if there is no more memory.
  explicit Memory(std::size_t bytes, Use use = Use::kMostlyLate);
  ~Memory();
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  // Why the last block could not be had, as a clause.
  static const char* why_none();

  explicit operator bool() const { return data_ != nullptr; }
  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace plumb::explore
