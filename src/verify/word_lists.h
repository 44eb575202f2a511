// SPDX-License-Identifier: Apache-2.0
// Lists of words, interned: equal lists have the same number.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::verify {

// Numbers are given in the order in which lists come, from 0 on.
class WordLists {
 public:
  using Id = std::uint32_t;
  using Words = std::span<const std::uint32_t>;

  WordLists() : index_(0, Hash{this}, Equal{this}) {}
  WordLists(const WordLists&) = delete;

  std::size_t size() const { return ends_.size(); }
  // `words` must not lie in this object.
  Id intern(Words words);
  // The same for a list that is not there yet and is never interned.
  Id add(Words words) {
    const auto id = static_cast<Id>(ends_.size());
    words_.insert(words_.end(), words.begin(), words.end());
    ends_.push_back(words_.size());
    return id;
  }
  // Valid until the next call of intern() or add().
  Words operator[](Id id) const {
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return {words_.data() + begin, ends_[id] - begin};
  }

 private:
  struct Hash {
    using is_transparent = void;
    const WordLists* owner;
    std::size_t operator()(Words words) const;
    std::size_t operator()(Id id) const { return (*this)((*owner)[id]); }
  };
  struct Equal {
    using is_transparent = void;
    const WordLists* owner;
    bool operator()(Id a, Id b) const { return a == b; }
    bool operator()(Id a, Words b) const;
    bool operator()(Words a, Id b) const { return (*this)(b, a); }
  };

  std::vector<std::uint32_t> words_;  // of one list after the other
  std::vector<std::size_t> ends_;     // by list, in words_
  absl::flat_hash_set<Id, Hash, Equal> index_;
};

}  // namespace plumb::verify
