// SPDX-License-Identifier: Apache-2.0
// abseil's flat hash tables, which stay whole where memory ends.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "base/memory_ceiling.h"

namespace plumb {

// Memory that a thread has set aside for a table that is about to grow.
class HeldMemory {
 public:
  // Throws std::bad_alloc, when nothing has changed yet.
  static void hold(std::size_t bytes) {
    block_ = ::operator new(bytes);
    size_ = bytes;
  }
  static void* take(std::size_t bytes) {
    if (block_ == nullptr || bytes > size_) return nullptr;
    return std::exchange(block_, nullptr);
  }
  static void release() { ::operator delete(std::exchange(block_, nullptr)); }

 private:
  static inline constinit thread_local void* block_ = nullptr;
  static inline constinit thread_local std::size_t size_ = 0;
};

template <typename T>
struct FirmAllocator {
  using value_type = T;

  FirmAllocator() = default;
  template <typename Other>
  FirmAllocator(const FirmAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    void* const held = HeldMemory::take(count * sizeof(T));
    return static_cast<T*>(held != nullptr ? held
                                           : ::operator new(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t) { ::operator delete(block); }

  friend bool operator==(const FirmAllocator&, const FirmAllocator&) = default;
};

// A table that grows changes its capacity before it asks for memory: if there
// is none, what is left crashes whoever destroys it.  So the memory is there
// before each insertion that needs it: std::bad_alloc comes when nothing has
// changed yet, and the table can still be read.  Nor does it stay whole if an
// element cannot be made in its place; so it is made before, and the ceiling is
// not asked then.
// LIMIT: where elements were erased, it may grow earlier than is known here.
template <typename Table>
class FirmTable : public Table {
 public:
  using Table::Table;
  using value_type = typename Table::value_type;
  using key_type = typename Table::key_type;

  template <typename Key, typename... Args>
  auto emplace(Key&& key, Args&&... args) {
    if constexpr (is_map()) {
      return try_emplace(std::forward<Key>(key), std::forward<Args>(args)...);
    } else {
      static_assert(sizeof...(Args) == 0);
      return insert(value_type(std::forward<Key>(key)));
    }
  }
  template <typename Key, typename... Args>
  auto try_emplace(Key&& key, Args&&... args) {
    using Mapped = typename Table::mapped_type;
    if constexpr (std::is_nothrow_constructible_v<key_type, Key> &&
                  std::is_nothrow_constructible_v<Mapped, Args...>) {
      const Room room(*this, is_full() && !this->contains(key));
      return Table::try_emplace(std::forward<Key>(key),
                                std::forward<Args>(args)...);
    } else {
      const auto found = this->find(key);
      if (found != this->end()) return std::pair(found, false);
      Mapped made = Mapped(std::forward<Args>(args)...);
      key_type copy(std::forward<Key>(key));
      const Room room(*this, is_full());
      return Table::try_emplace(std::move(copy), std::move(made));
    }
  }
  template <typename Key>
  auto& operator[](Key&& key) {
    return try_emplace(std::forward<Key>(key)).first->second;
  }
  auto& operator[](key_type key) {
    return try_emplace(std::move(key)).first->second;
  }
  template <typename Key, typename Mapped>
  auto insert_or_assign(Key&& key, Mapped&& mapped) {
    auto [entry, is_new] = try_emplace(std::forward<Key>(key));
    entry->second = std::forward<Mapped>(mapped);
    return std::pair(entry, is_new);
  }
  auto insert(value_type value) {
    const Room room(*this, is_full() && !this->contains(key_of(value)));
    return Table::insert(std::move(value));
  }
  template <typename Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  // All at once: the memory for it is asked for as well.
  void reserve(std::size_t count) {
    const bool grows = count > this->capacity() / 8 * 7;
    const Room room(count + count / 7 + 1, grows);
    Table::reserve(count);
  }

 private:
  // While it may grow.
  class Room {
   public:
    Room(const FirmTable& table, bool grows)
        : Room(2 * table.capacity() + 1, grows) {}
    Room(std::size_t slots, bool grows)
        : holds_(grows && hold(slots)), whole_() {}
    ~Room() {
      if (holds_) HeldMemory::release();
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

   private:
    // Capacities are one less than a power of two; a byte for each beside.
    static bool hold(std::size_t slots) {
      std::size_t capacity = 1;
      while (capacity < slots) capacity = 2 * capacity + 1;
      constexpr std::size_t kAlso = 64;
      HeldMemory::hold(capacity * (sizeof(value_type) + 1) + kAlso);
      return true;
    }

    bool holds_;
    MemoryCeiling::Unasked whole_;
  };

  static constexpr bool is_map() {
    return requires {
      typename Table::mapped_type;
    };
  }
  static const key_type& key_of(const value_type& value) {
    if constexpr (is_map()) {
      return value.first;
    } else {
      return value;
    }
  }
  bool is_full() const {
    const std::size_t capacity = this->capacity();
    return this->size() >= capacity - capacity / 8;
  }
};

template <typename Key, typename Mapped,
          typename Hash = absl::container_internal::hash_default_hash<Key>,
          typename Equal = absl::container_internal::hash_default_eq<Key>>
using FlatMap =
    FirmTable<absl::flat_hash_map<Key, Mapped, Hash, Equal,
                                  FirmAllocator<std::pair<const Key, Mapped>>>>;
template <typename Key,
          typename Hash = absl::container_internal::hash_default_hash<Key>,
          typename Equal = absl::container_internal::hash_default_eq<Key>>
using FlatSet =
    FirmTable<absl::flat_hash_set<Key, Hash, Equal, FirmAllocator<Key>>>;

}  // namespace plumb
