// SPDX-License-Identifier: Apache-2.0
// abseil's flat hash tables, which stay whole where memory ends.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/memory_ceiling.h"

namespace plumb {

// A table that grows changes its capacity before it asks for memory: if there
// is none, what is left crashes whoever destroys it.  So memory is asked for,
// and given back, before each insertion that may need it: std::bad_alloc comes
// when nothing has changed yet, and the table can still be read.  Nor does it
// stay whole if a key or an element cannot be copied, which growing does with
// all of them; so the ceiling is not asked then.
template <typename Table>
class FirmTable : public Table {
 public:
  using Table::Table;
  using value_type = typename Table::value_type;
  using key_type = typename Table::key_type;

  template <typename... Args>
  auto emplace(Args&&... args) {
    make_room();
    const MemoryCeiling::Unasked whole;
    return Table::emplace(std::forward<Args>(args)...);
  }
  template <typename Key, typename... Args>
  auto try_emplace(Key&& key, Args&&... args) {
    make_room();
    const MemoryCeiling::Unasked whole;
    return Table::try_emplace(std::forward<Key>(key),
                              std::forward<Args>(args)...);
  }
  template <typename Key>
  auto& operator[](Key&& key) {
    make_room();
    const MemoryCeiling::Unasked whole;
    return Table::operator[](std::forward<Key>(key));
  }
  auto& operator[](key_type key) {
    make_room();
    const MemoryCeiling::Unasked whole;
    return Table::operator[](std::move(key));
  }
  template <typename Key, typename Mapped>
  auto insert_or_assign(Key&& key, Mapped&& mapped) {
    make_room();
    const MemoryCeiling::Unasked whole;
    return Table::insert_or_assign(std::forward<Key>(key),
                                   std::forward<Mapped>(mapped));
  }
  auto insert(value_type value) {
    make_room();
    const MemoryCeiling::Unasked whole;
    return Table::insert(std::move(value));
  }
  template <typename Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  // All at once: the memory for it is asked for as well.
  void reserve(std::size_t count) {
    if (count > this->capacity() / 8 * 7) ask_for(count + count / 7 + 1);
    const MemoryCeiling::Unasked whole;
    Table::reserve(count);
  }

 private:
  void make_room() {
    const std::size_t capacity = this->capacity();
    if (this->size() < capacity - capacity / 8 || capacity == asked_) return;
    ask_for(2 * capacity + 1);
    asked_ = capacity;  // what is inserted may be there already
  }
  // Capacities are one less than a power of two; a byte for each beside.
  static void ask_for(std::size_t slots) {
    std::size_t capacity = 1;
    while (capacity < slots) capacity = 2 * capacity + 1;
    constexpr std::size_t kAlso = 64;
    ::operator delete(
        ::operator new(capacity*(sizeof(value_type) + 1) + kAlso));
  }

  std::size_t asked_ = SIZE_MAX;
};

template <typename... T>
using FlatMap = FirmTable<absl::flat_hash_map<T...>>;
template <typename... T>
using FlatSet = FirmTable<absl::flat_hash_set<T...>>;

}  // namespace plumb
