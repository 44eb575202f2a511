// SPDX-License-Identifier: Apache-2.0
// What becomes of the cells of a linked object when they are taken out.
//
// Papers leave that to a garbage collector or to the allocator, and it decides
// whether the object is right: most bugs here need cells that are used again.
#pragma once

#include <atomic>
#include <cstdint>

// As with a garbage collector: nobody sees a cell used again.  There is none,
// so they are never freed, and tests say `test.set("leaks", "allow")`.
struct Collected {
  template <typename Cell>
  static Cell* get() {
    return new Cell;
  }
  template <typename Cell>
  static void put(Cell*) {}
};

// Deleted at once, whoever may still look at it.
struct Deleted {
  template <typename Cell>
  static Cell* get() {
    return new Cell;
  }
  template <typename Cell>
  static void put(Cell* cell) {
    delete cell;
  }
};

// Used again by the thread that put it back, the first one first, and for ever
// a cell: reading one that was put back is harmless by itself.  Needs a field
// `Cell* next_free`.  Never gives anything back to the allocator.
struct Pooled {
  template <typename Cell>
  static Cell* get() {
    List<Cell>& mine = list<Cell>();
    if (mine.first == nullptr) return new Cell;
    Cell* cell = mine.first;
    mine.first = cell->next_free;
    return cell;
  }
  template <typename Cell>
  static void put(Cell* cell) {
    List<Cell>& mine = list<Cell>();
    cell->next_free = nullptr;
    (mine.first == nullptr ? mine.first : mine.last->next_free) = cell;
    mine.last = cell;
  }

 private:
  template <typename Cell>
  struct List {
    Cell* first = nullptr;
    Cell* last = nullptr;
  };
  template <typename Cell>
  static List<Cell>& list() {
    thread_local List<Cell> mine;
    return mine;
  }
};

// A pointer and a tag in one word, so that both are swapped at once.  Pointers
// of user programs leave the upper 16 bits free on x86-64 and AArch64.
template <typename Cell>
struct Tagged {
  std::uintptr_t word = 0;

  Tagged() = default;
  Tagged(Cell* cell, std::uintptr_t with_tag)
      : word(reinterpret_cast<std::uintptr_t>(cell) | with_tag << 48) {}

  Cell* cell() const {
    return reinterpret_cast<Cell*>(word & ((std::uintptr_t{1} << 48) - 1));
  }
  std::uintptr_t tag() const { return word >> 48; }
  Cell* operator->() const { return cell(); }
  friend bool operator==(Tagged, Tagged) = default;
};
