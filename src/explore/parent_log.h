// SPDX-License-Identifier: Apache-2.0
// How a breadth-first search came to everything that it found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explore/side_table.h"

namespace plumb::explore {

// What is found has the numbers 0, 1, 2, ...; it is found from what has a
// smaller number, by one of the transitions of that.  A search that takes
// things up in the order of their numbers finds their successors in that
// order too: the log keeps only how far to go on.  That takes a byte for each
// entry, mostly, and is read from the nearest bookmark on.
class ParentLog {
 public:
  struct Entry {
    std::uint64_t parent = 0;
    std::uint64_t transition = 0;
  };

  // The entry of number size().  Returns false if there is no more memory: no
  // further ones can be added then.  Requires: `parent` is not smaller than
  // that of the entry before.
  bool add(const Entry& entry);
  // Requires: number < size().
  Entry operator[](std::uint64_t number) const;
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return log_.bytes() + bookmarks_.bytes(); }

 private:
  // Where an entry begins, and the parent of the one before.
  struct Bookmark {
    std::uint64_t at, parent;
  };

  bool put(std::uint64_t rest);
  std::uint64_t get(std::uint64_t& at, unsigned half) const;

  SideTable<std::uint8_t> log_;
  SideTable<Bookmark> bookmarks_;
  std::uint64_t size_ = 0;
  std::uint64_t last_parent_ = 0;
};

}  // namespace plumb::explore
