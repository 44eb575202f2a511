// SPDX-License-Identifier: Apache-2.0
// Remembers where sets of configurations move.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "explore/tagging.h"
#include "verify/label_classes.h"

namespace plumb::verify {

using explore::Tag;

// A hash table with the moves of one set next to each other: a search asks for
// several of them at a time, which then cost one access to memory.  Read
// without a lock by several threads, as SharedNumbers is.
class MoveCache {
 public:
  static constexpr Tag kUnknown = UINT32_MAX;

  MoveCache();

  Tag find(Tag set, ClassId number) const {
    return find(*table_.load(std::memory_order_acquire), set, number);
  }
  // Unless that takes more memory than there is.
  void add(Tag set, ClassId number, Tag next);
  // Frees what only threads that are just reading need: call it when there are
  // none.
  void tidy() { tables_.erase(tables_.begin(), tables_.end() - 1); }
  void prefetch(Tag set, ClassId number) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    __builtin_prefetch(&table[home(table, set, number)]);
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> key = 0;  // set and number; written first
    std::atomic<Tag> next = kUnknown;    // that is: free; written last
  };
  using Table = std::vector<Slot>;  // at most half full

  static std::size_t home(const Table& table, Tag set, ClassId number) {
    const std::uint64_t spread = set * std::uint64_t{0x9E3779B97F4A7C15};
    return (static_cast<std::size_t>(spread >> 32) + number) &
           (table.size() - 1);
  }
  static std::uint64_t key_of(Tag set, ClassId number) {
    return std::uint64_t{set} << 32 | number;
  }
  static Tag find(const Table& table, Tag set, ClassId number) {
    const std::uint64_t key = key_of(set, number);
    for (std::size_t at = home(table, set, number);;
         at = (at + 1) & (table.size() - 1)) {
      const Tag next = table[at].next.load(std::memory_order_acquire);
      if (next == kUnknown) return kUnknown;
      if (table[at].key.load(std::memory_order_relaxed) == key) return next;
    }
  }
  static void put(Table& table, std::uint64_t key, Tag next);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // old ones may still be read
  std::atomic<Table*> table_;
  std::size_t size_ = 0;
  bool is_full_ = false;
};

}  // namespace plumb::verify
