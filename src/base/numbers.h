// SPDX-License-Identifier: Apache-2.0
// Interning: things by number, and the numbers of things that come again.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_string.h"

namespace plumb {

// Which number does a thing have?  Knows the things by their hashes only; who
// uses it keeps them.  A hash table with open addressing: of each hash it
// remembers 32 bits, so that few other things are looked at.  Growing either
// succeeds or changes nothing.
class NumberIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  NumberIndex() : slots_(kFirst) {}

  // The number of the thing with this hash that `is_it(number)`, or kNone.
  template <typename IsIt>
  std::uint32_t find(std::uint64_t hash, const IsIt& is_it) const {
    const std::uint32_t mine = mark(hash);
    for (std::size_t at = mine & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone) return kNone;
      if (slot.mark == mine && is_it(slot.number)) return slot.number;
    }
  }
  // Requires: the thing is not there.
  void add(std::uint64_t hash, std::uint32_t number) {
    assert(number != kNone);
    if (2 * (size_ + 1) > slots_.size()) grow();
    put(slots_, {mark(hash), number});
    ++size_;
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kFirst = 16;
  struct Slot {
    std::uint32_t mark = 0;
    std::uint32_t number = kNone;  // free
  };

  static std::uint32_t mark(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
  }
  std::size_t mask() const { return slots_.size() - 1; }
  static void put(std::vector<Slot>& slots, const Slot& slot) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = slot.mark & mask;
    while (slots[at].number != kNone) at = (at + 1) & mask;
    slots[at] = slot;
  }
  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.number != kNone) put(larger, slot);
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;  // at most half of them in use
  std::size_t size_ = 0;
};

// Lists of words, by numbers that are given in the order in which the lists
// come, from 0 on.
class WordLists {
 public:
  using Id = std::uint32_t;
  using Words = std::span<const std::uint32_t>;

  WordLists() = default;
  WordLists(const WordLists&) = delete;

  std::size_t size() const { return ends_.size(); }
  // `words` must not lie in this object.
  Id intern(Words words) {
    const std::uint64_t hash = hash_words(words);
    const Id known = index_.find(
        hash, [&](Id id) { return std::ranges::equal((*this)[id], words); });
    if (known != NumberIndex::kNone) return known;
    const Id id = add(words);
    index_.add(hash, id);
    return id;
  }
  // The same for a list that is not there yet and is never interned.
  Id add(Words words) {
    const auto id = static_cast<Id>(size());
    words_.insert(words_.end(), words.begin(), words.end());
    ends_.push_back(words_.size());
    return id;
  }
  // Valid until the next call of intern() or add().
  Words operator[](Id id) const {
    assert(id < size());
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return {words_.data() + begin, ends_[id] - begin};
  }

 private:
  std::vector<std::uint32_t> words_;  // of one list after the other
  std::vector<std::size_t> ends_;     // by list, in words_
  NumberIndex index_;
};

}  // namespace plumb
