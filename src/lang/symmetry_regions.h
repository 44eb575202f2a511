// SPDX-License-Identifier: Apache-2.0
// Where names of processes and values lie in a state, and giving them others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lang/program.h"
#include "lang/symmetry_flow.h"
#include "lts/symmetry.h"

namespace plumb::lang {

// What a number is a name of.
enum class Naming : std::uint8_t { kNothing, kProcess, kValue };

// What the numbers of each class of a Flow are; by node.
using Namings = std::vector<Naming>;

struct NumberSlot {
  std::uint32_t offset = 0;
  const Shape* shape = nullptr;
};

// A container with names in it.
struct ContainerSlot {
  std::uint32_t offset = 0;
  const Shape* shape = nullptr;
  Naming key = Naming::kNothing;  // also of a set's members
  Naming element = Naming::kNothing;

  // Its order is that of names.
  bool is_sorted() const { return key != Naming::kNothing; }
};

struct Region;

// An array with an element for each process, in the order of their names.
struct ProcessBlock {
  std::uint32_t offset = 0, stride = 0;
  std::unique_ptr<Region> element;
};

// A part of a state: the variables, a frame, a cell.
struct Region {
  std::uint32_t size = 0;
  std::vector<NumberSlot> processes, values;
  std::vector<ContainerSlot> containers;
  std::vector<ProcessBlock> blocks;
  // Those whose order depends on no name: neither in a block nor in a
  // container that is sorted by names.
  std::vector<ReferenceSlot> references;

  bool has_names() const {
    return !processes.empty() || !values.empty() || !containers.empty() ||
           !blocks.empty();
  }
};

struct Regions {
  Region variables;
  std::vector<Region> rests;    // frames
  std::vector<Region> structs;  // cells
};

Regions find_regions(const Program& program, const Flow& flow,
                     const Namings& namings);

// The interchangeable values as numbers.
class ValueNumbers {
 public:
  ValueNumbers() = default;
  explicit ValueNumbers(std::vector<std::int32_t> numbers);

  std::size_t size() const { return numbers_.size(); }
  std::int32_t operator[](std::size_t i) const { return numbers_[i]; }
  // Which of them `number` is, or -1.
  int index_of(std::int32_t number) const {
    const std::uint32_t at =
        static_cast<std::uint32_t>(number) - static_cast<std::uint32_t>(first_);
    return at < indexes_.size() ? indexes_[at] : -1;
  }

 private:
  std::vector<std::int32_t> numbers_;
  std::int32_t first_ = 0;
  std::vector<std::int8_t> indexes_;  // from first_ on
};

// A renaming as it acts on numbers.
struct NewNames {
  std::size_t processes = 0;
  const ValueNumbers& values;
  lts::Renaming renaming;

  std::int32_t process(std::int32_t number) const {
    const auto p = static_cast<std::size_t>(static_cast<std::uint32_t>(number));
    return p < processes ? static_cast<std::int32_t>(renaming.processes[p])
                         : number;
  }
  std::int32_t value(std::int32_t number) const {
    const int i = values.index_of(number);
    return i < 0 ? number
                 : values[renaming.values[static_cast<std::size_t>(i)]];
  }
  std::int32_t of(Naming naming, std::int32_t number) const {
    if (naming == Naming::kProcess) return process(number);
    return naming == Naming::kValue ? value(number) : number;
  }
};

// Gives new names to all that `region` has at `bytes`, but for cells.
void rename_region(const Region& region, std::uint8_t* bytes,
                   const NewNames& names);

// Calls `see` for the values of a region: those of sets and of the keys of
// maps if `sorted`, else the others.
template <typename See>
void for_each_value(const Region& region, const std::uint8_t* bytes,
                    std::size_t processes, bool sorted, const See& see) {
  if (!sorted) {
    for (const NumberSlot& slot : region.values) {
      see(load_number(*slot.shape, bytes + slot.offset));
    }
  }
  for (const ContainerSlot& slot : region.containers) {
    const Shape& shape = *slot.shape;
    const std::uint8_t* at = bytes + slot.offset;
    if (slot.is_sorted() != sorted) continue;
    const std::uint32_t key_size = shape.key == nullptr ? 0 : shape.key->size;
    for (std::uint32_t i = 0; i < *at; ++i) {
      const std::uint8_t* place = at + 1 + i * shape.stride();
      if (key_size != 0 && slot.key == Naming::kValue) {
        see(load_number(*shape.key, place));
      }
      if (slot.element == Naming::kValue) {
        see(load_number(*shape.element, place + key_size));
      }
    }
  }
  for (const ProcessBlock& block : region.blocks) {
    for (std::size_t p = 0; p < processes; ++p) {
      for_each_value(*block.element, bytes + block.offset + p * block.stride,
                     processes, sorted, see);
    }
  }
}

}  // namespace plumb::lang
