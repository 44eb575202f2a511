// SPDX-License-Identifier: Apache-2.0
// A limit on the memory of the process that allocations themselves ask for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plumb {

// A Budget looks once in many steps, and one step may take as much memory as
// all before it: a table that doubles.  So, in the tool, `operator new` asks
// before each large block, and once in every MiB of small ones; where the
// ceiling would be passed it throws std::bad_alloc.  Only threads that are
// ready for that, in a Guarded, are asked to be.
class MemoryCeiling {
 public:
  static void set(std::size_t bytes) { limit_ = bytes; }

  class Guarded {
   public:
    Guarded() { ++guarded_; }
    ~Guarded() { --guarded_; }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
  };

  // For a moment that must not end in the middle, as when a table grows.
  class Unasked {
   public:
    Unasked() : before_(guarded_) { guarded_ = 0; }
    ~Unasked() { guarded_ = before_; }
    Unasked(const Unasked&) = delete;
    Unasked& operator=(const Unasked&) = delete;

   private:
    int before_;
  };

  // May this thread use so many bytes more?
  static bool admits(std::size_t bytes) {
    return guarded_ == 0 ||
           limit_.load(std::memory_order_relaxed) == SIZE_MAX || asks(bytes);
  }
  // The same for any thread that does not want an exception.
  static bool has_room(std::size_t bytes) {
    return limit_.load(std::memory_order_relaxed) == SIZE_MAX || asks(bytes);
  }
  // May this table of abseil take one more?  It is lost if it may not grow
  // when it wants to, so it is asked before.
  template <typename Table>
  static bool has_room_in(const Table& table) {
    const std::size_t capacity = table.capacity();
    return table.size() < capacity - capacity / 8 ||
           has_room(2 * capacity * (sizeof(typename Table::value_type) + 1));
  }
  // Why there was a std::bad_alloc, or no room, as a clause.
  static std::string why();

 private:
  static bool asks(std::size_t bytes);

  static std::atomic<std::size_t> limit_;
  static std::atomic<bool> was_reached_;
  static constinit thread_local int guarded_;
};

}  // namespace plumb
