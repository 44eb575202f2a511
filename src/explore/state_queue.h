// SPDX-License-Identifier: Apache-2.0
// States that wait for their turn, first in, first out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "explore/memory.h"
#include "lts/system.h"

namespace plumb::explore {

// Memory is given back as the queue gets shorter.  Nothing of it throws.
class StateQueue {
 public:
  struct Entry {
    lts::StateView state;
    std::uint32_t tag = 0;  // whatever belongs to the state
  };

  // Returns false, and changes nothing, if there is no more memory.
  bool push(lts::StateView state, std::uint32_t tag);
  bool empty() const { return size_ == 0; }
  // The oldest one, which is taken out.  Valid until the next call of pop().
  // Requires: !empty().
  Entry pop();

  std::size_t size() const { return size_; }
  // The most memory that was held at a time, as far as it was used.
  std::size_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Chunk {
    Memory memory;
    std::size_t end = 0;  // what is written so far
  };

  bool make_room(std::size_t bytes);

  std::deque<Chunk> chunks_;
  std::size_t read_ = 0;  // where the next entry begins, in the first chunk
  Memory spare_;          // one that was read, for the next chunk
  std::size_t size_ = 0;
  std::size_t held_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace plumb::explore
