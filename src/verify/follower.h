// SPDX-License-Identifier: Apache-2.0
// Memoised moves of sets of configurations, and their renamings, for threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "explore/tagging.h"
#include "lts/symmetry.h"
#include "lts/system.h"
#include "verify/shared_numbers.h"

namespace plumb::verify {

using explore::Tag;
using explore::Tagging;

using ClassId = std::uint32_t;

// Labels with the same number mean the same to the machine.
class LabelClasses {
 public:
  // `point`: 0, or a number that tells steps apart at which operations take
  // effect.  Elsewhere a label is its process, kind, operation and value.
  ClassId number(const lts::Label& label, std::uint32_t point) {
    return numbers_.number({label.value.word(),
                            (std::uint32_t{label.process} << 24) |
                                (static_cast<std::uint32_t>(label.kind) << 16) |
                                label.operation,
                            point});
  }
  void tidy() { numbers_.tidy(); }
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Key {
    std::uint64_t value = 0;
    std::uint32_t who = 0, point = 0;

    std::size_t hash() const {
      const std::uint64_t words =
          value ^ (std::uint64_t{who} << 32 | point) * 0xD6E8FEB86659FD93;
      return static_cast<std::size_t>((words * 0x9E3779B97F4A7C15) >> 32);
    }
    friend bool operator==(const Key&, const Key&) = default;
  };

  SharedNumbers<Key> numbers_;
};

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

// The machine beside a system, remembering.
class Follower {
 public:
  // Of labels that leave every set as it is.
  static constexpr ClassId kStill = UINT32_MAX;

  // `moves` must last.
  explicit Follower(Tagging& moves) : moves_(moves) {}
  Follower(const Follower&) = delete;

  Tagging& moves() { return moves_; }
  // Frees what is out of use.  Not while a thread follows.
  void tidy() {
    classes_.tidy();
    steps_.tidy();
    renamings_.tidy();
    hows_.tidy();
  }

  // Tagging::after() in parts: number() for all steps of a state, then
  // prefetch() for all, then after().
  ClassId number(const lts::Label& label) {
    const auto point = moves_.point(label);
    return point ? classes_.number(label, *point) : kStill;
  }
  void prefetch(Tag set, ClassId number) const {
    if (number != kStill) steps_.prefetch(set, number);
  }
  Tag after(Tag set, const lts::Label& label, ClassId number) {
    if (number == kStill) return set;
    const Tag known = steps_.find(set, number);
    if (known != MoveCache::kUnknown) return known;
    const Tag next = moves_.after(set, label);
    steps_.add(set, number, next);
    return next;
  }

  // What becomes of the set of a state when the state is brought to its
  // canonical form.
  Tag canonical(Tag set, const lts::Canonical& how);

 private:
  // A lts::Canonical.
  struct How {
    std::uint64_t processes = 0, values = 0, rest = 0;

    std::size_t hash() const {
      const std::uint64_t words =
          processes * 0x9E3779B97F4A7C15 ^ values * 0xD6E8FEB86659FD93 ^ rest;
      return static_cast<std::size_t>((words * 0xA0761D6478BD642F) >> 32);
    }
    friend bool operator==(const How&, const How&) = default;
  };

  Tagging& moves_;
  LabelClasses classes_;
  MoveCache steps_;
  MoveCache renamings_;
  SharedNumbers<How> hows_;
};

}  // namespace plumb::verify
