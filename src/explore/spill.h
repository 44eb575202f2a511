// SPDX-License-Identifier: Apache-2.0
// Blocks of memory that lie in a file when memory is short.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plumb::explore {

// A policy of the whole process, off at first.  While the process is smaller
// than the limit, large blocks are memory as ever.  From then on they are
// mapped from a file that has no name, so that nothing is left behind however
// the process ends; pages of it that were not used lately are taken from the
// process in turn and come back, from the system's cache or from disk, when
// they are touched.  So a search becomes slower instead of ending.
//
// Blocks of a file, and not a database: see ARCHITECTURE.md.
class Spill {
 public:
  // Returns "", or why there can be no file in `directory`, as a clause.
  // Blocks that are there already stay in memory.
  static std::string enable(const std::string& directory, std::size_t limit);
  // Blocks that lie in the file stay there.  For tests.
  static void disable();
  static bool is_enabled() { return enabled_.load(std::memory_order_relaxed); }
  // Was the limit reached?
  static bool is_used() { return used_.load(std::memory_order_relaxed); }
  static std::size_t limit();
  // Of the file.
  static std::size_t bytes_on_disk();

  // To be called every so often, by any thread, while memory is used: takes
  // pages from the process if it has grown over the limit.
  static void keep_within_limit();
  // The same, and waits for others who do it.
  static void relieve();
  // The same once in so many calls; `countdown` belongs to the thread.
  static void count(std::uint32_t& countdown) {
    if (!is_enabled() || countdown-- != 0) return;
    countdown = is_used() ? 31 : 1023;
    keep_within_limit();
  }
  // Are there blocks in memory that should be in the file?
  static bool wants_to_move() {
    return wants_to_move_.load(std::memory_order_relaxed);
  }
  // Moves them; they keep their addresses.
  // Requires: no other thread writes to such blocks.
  static void move();

  // For Memory.  Null if there is no memory, or no space on disk.  A block
  // that is `wanted` stays in memory if it leaves room for others there.
  static std::uint8_t* map(std::size_t bytes, bool is_wanted = false);
  static void unmap(std::uint8_t* data, std::size_t bytes);

 private:
  static std::atomic<bool> enabled_, used_, wants_to_move_;
};

}  // namespace plumb::explore
