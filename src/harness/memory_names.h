// SPDX-License-Identifier: Apache-2.0
// Names of memory, and of the values in it, along one execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/symbols.h"
#include "runtime/heap.h"

namespace plumb::harness {

// What is known about memory of the execution that is told about.
struct Memory {
  // The block around an address (begin == 0: none), as runtime::Heap gives it.
  std::function<runtime::BlockInfo(std::uintptr_t)> block_of;
  std::uintptr_t object = 0;  // the object under test; 0: none
  TypeId object_type = kNoType;
};

// Blocks of the heap are called #1, #2, ... in the order in which they are
// asked for; a block that is given out again keeps its name, as it keeps its
// address: that is what an ABA problem is made of.  Their types are learned
// from the pointers that lead there.
//
// LIMIT: memory that serves two types, one after the other, is told by the
// members of the first.
class MemoryNames {
 public:
  MemoryNames(Memory memory, Symbols& symbols)
      : memory_(std::move(memory)), symbols_(symbols) {}

  // The memory at `address` held this.  Returns true if that says something
  // new about blocks: then what was learned before may say more.
  bool learn(std::uintptr_t address, std::size_t size, std::uint64_t bits);

  // "head", "#1.next", "pool[1]", "#2+8".
  std::string place(std::uintptr_t address, std::size_t size);
  // What memory at `address` holds: "#1", "null", "-1", "&pool[1]".
  std::string value(std::uintptr_t address, std::size_t size,
                    std::uint64_t bits);
  // "#1": the block that holds this byte; else as place().
  std::string block(std::uintptr_t address);

  runtime::BlockInfo block_info(std::uintptr_t address) const;

 private:
  // A piece of memory: what it lies in, and where.
  struct Home {
    std::string name;  // "": none
    std::size_t offset = 0;
    TypeId type = kNoType;
    bool is_object = false;  // its members need no name in front
  };
  bool is_in_object(std::uintptr_t address) const;
  Home home_of(std::uintptr_t address);
  Home home_in_block(const runtime::BlockInfo& block, std::uintptr_t address);
  // The part of its home: "[2].next".
  Member part_of(const Home& home, std::size_t size);

  std::optional<Member> known_part(std::uintptr_t address);
  TypeId type_at(std::uintptr_t address, std::size_t size);
  // The block that a value points to, and what else is in the value.
  struct Pointer {
    std::uintptr_t address = 0;  // 0: it is none
    std::uint64_t mark = 0;      // low bits that are no part of it
    std::uint64_t tag = 0;       // high bits
  };
  Pointer pointer_in(std::uint64_t bits) const;
  std::string pointer_text(const Pointer& pointer);
  std::string number_text(std::uint64_t bits, std::size_t size) const;

  Memory memory_;
  Symbols& symbols_;
  std::map<std::uintptr_t, std::size_t> blocks_;  // names, by begin
  std::map<std::uintptr_t, std::size_t> locals_;  // names, by address
  std::map<std::uintptr_t, TypeId> types_;        // of blocks, by begin
  std::set<std::uintptr_t> hold_pointers_;
};

}  // namespace plumb::harness
