// SPDX-License-Identifier: Apache-2.0
// Rows of words, each kept once, with a number for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace plumb::harness {

// Two hashes of a row that have nothing to do with each other.
std::uint64_t hash_row(std::span<const std::uint64_t> row, std::uint64_t seed);
std::pair<std::uint64_t, std::uint64_t> hash_row_twice(
    std::span<const std::uint64_t> row);

// A row that is being made.  Faster than a vector, which asks at every word
// whether there is room.
class Row {
 public:
  // Requires: no more than `most` words are added.
  void clear(std::size_t most) {
    if (words_.size() < most) words_.resize(most);
    size_ = 0;
  }
  void add(std::uint64_t word) { words_[size_++] = word; }
  void cut(std::size_t size) { size_ = size; }
  std::size_t size() const { return size_; }
  std::span<const std::uint64_t> words() const {
    return {words_.data(), size_};
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

// Rows are the same only if all their words are.  Asked once for every
// execution, so the rows lie in one block, and the table holds four bytes for
// each.
class RowTable {
 public:
  // The number of this row, 0 if it is new.  Valid until the next call.
  std::uint32_t& operator[](std::span<const std::uint64_t> row);

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const {
    return words_.capacity() * sizeof(std::uint64_t) +
           entries_.capacity() * sizeof(Entry) +
           slots_.capacity() * sizeof(std::uint32_t);
  }
  void clear() { *this = {}; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint64_t offset;  // into words_
    std::uint32_t length;
    std::uint32_t number;
  };
  bool is_row(const Entry& entry, std::span<const std::uint64_t> row) const;
  void grow();

  std::vector<std::uint64_t> words_;
  std::vector<Entry> entries_;
  // Linear probing; an index into entries_ plus 1, or 0.
  // Invariant: a power of two, less than two thirds full.
  std::vector<std::uint32_t> slots_;
};

}  // namespace plumb::harness
