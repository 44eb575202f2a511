// SPDX-License-Identifier: Apache-2.0
// Small numbers for keys, given out as they come, for several threads at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace plumb::verify {

// A hash table that is read without a lock: a slot gets its key first and its
// number last.  When it grows, those who read the old table find what was
// there then, and ask again under the lock for the rest.  Key: copied as
// bytes, ==, hash().
template <typename Key>
class SharedNumbers {
  static_assert(std::is_trivially_copyable_v<Key>);

 public:
  SharedNumbers() { start(64); }

  std::uint32_t number(const Key& key) {
    const std::uint32_t known =
        find(*table_.load(std::memory_order_acquire), key);
    return known != kFree ? known : add(key);
  }
  // Frees what only threads that are just reading need: call it when there are
  // none.
  void tidy() { tables_.erase(tables_.begin(), tables_.end() - 1); }
  // All of them, by number.  Not while another thread adds one.
  std::vector<Key> keys() const {
    std::vector<Key> keys(size());
    for (const Slot& slot : *tables_.back()) {
      const std::uint32_t number = slot.number.load(std::memory_order_relaxed);
      if (number != kFree) keys[number] = slot.key;
    }
    return keys;
  }
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  struct Slot {
    std::atomic<std::uint32_t> number = kFree;
    Key key{};
  };
  using Table = std::vector<Slot>;  // at most half full

  static std::uint32_t find(const Table& table, const Key& key) {
    const std::size_t mask = table.size() - 1;
    for (std::size_t at = key.hash() & mask;; at = (at + 1) & mask) {
      const std::uint32_t number =
          table[at].number.load(std::memory_order_acquire);
      if (number == kFree || table[at].key == key) return number;
    }
  }
  static void put(Table& table, const Key& key, std::uint32_t number) {
    const std::size_t mask = table.size() - 1;
    std::size_t at = key.hash() & mask;
    while (table[at].number.load(std::memory_order_relaxed) != kFree) {
      at = (at + 1) & mask;
    }
    table[at].key = key;
    table[at].number.store(number, std::memory_order_release);
  }
  void start(std::size_t slots) {
    tables_.push_back(std::make_unique<Table>(slots));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  std::uint32_t add(const Key& key) {
    const std::lock_guard lock(mutex_);
    Table* table = tables_.back().get();
    const std::uint32_t known = find(*table, key);
    if (known != kFree) return known;
    const std::size_t size = size_.load(std::memory_order_relaxed);
    if (2 * (size + 1) > table->size()) {
      auto larger = std::make_unique<Table>(2 * table->size());
      for (const Slot& slot : *table) {
        const std::uint32_t number =
            slot.number.load(std::memory_order_relaxed);
        if (number != kFree) put(*larger, slot.key, number);
      }
      tables_.push_back(std::move(larger));
      table = tables_.back().get();
      table_.store(table, std::memory_order_release);
    }
    const auto number = static_cast<std::uint32_t>(size);
    put(*table, key, number);
    size_.store(size + 1, std::memory_order_relaxed);
    return number;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // old ones may still be read
  std::atomic<Table*> table_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace plumb::verify
