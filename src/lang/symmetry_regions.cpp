// SPDX-License-Identifier: Apache-2.0
#include "lang/symmetry_regions.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plumb::lang {
namespace {

class RegionMaker {
 public:
  RegionMaker(const Program& program, const Flow& flow, const Namings& namings)
      : program_(program), flow_(flow), namings_(namings) {}

  Naming of_register(Register reg) const {
    return namings_[flow_.of_register(reg)];
  }

  void add_number(Naming naming, const Shape& shape, std::uint32_t offset,
                  Region& region) const {
    if (shape.kind == ShapeKind::kReference) {
      region.references.push_back({offset, shape.structure});
    } else if (naming == Naming::kProcess) {
      region.processes.push_back({offset, &shape});
    } else if (naming == Naming::kValue) {
      region.values.push_back({offset, &shape});
    }
  }

  void add(Flow::PlaceId id, std::uint32_t offset, Region& region) const {
    const Flow::Place& place = flow_.place(id);
    const Shape& shape = *place.shape;
    if (shape.is_number()) {
      add_number(number_naming(id), shape, offset, region);
    } else if (shape.kind == ShapeKind::kArray) {
      add_array(id, offset, region);
    } else {
      add_container(place, offset, region);
    }
  }

 private:
  Naming number_naming(Flow::PlaceId id) const {
    return namings_[flow_.of_number(id)];
  }

  void add_array(Flow::PlaceId id, std::uint32_t offset, Region& region) const {
    const Flow::Place& place = flow_.place(id);
    const Shape& shape = *place.shape;
    std::uint32_t first = 0;
    if (namings_[flow_.of_index(id)] == Naming::kProcess) {
      ProcessBlock block{offset, shape.element->size,
                         std::make_unique<Region>()};
      block.element->size = block.stride;
      add(place.element, 0, *block.element);
      region.blocks.push_back(std::move(block));
      // No process has the number of what is left.
      first = static_cast<std::uint32_t>(program_.processes);
    }
    for (std::uint32_t i = first; i < shape.count; ++i) {
      add(place.element, offset + i * shape.element->size, region);
    }
  }

  void add_container(const Flow::Place& place, std::uint32_t offset,
                     Region& region) const {
    const Shape& shape = *place.shape;
    ContainerSlot slot{offset, &shape, Naming::kNothing,
                       number_naming(place.element)};
    if (shape.kind == ShapeKind::kMap) slot.key = number_naming(place.key);
    if (shape.kind == ShapeKind::kSet) slot.key = slot.element;
    if (slot.key != Naming::kNothing || slot.element != Naming::kNothing) {
      region.containers.push_back(slot);
    }
    if (!slot.is_sorted()) find_references(shape, offset, region.references);
  }

  const Program& program_;
  const Flow& flow_;
  const Namings& namings_;
};

void sort_slots(std::uint8_t* first, std::uint32_t count, std::uint32_t stride,
                const Shape& key) {
  std::uint8_t moved[16];
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::int32_t number = load_number(key, first + i * stride);
    std::uint32_t to = i;
    while (to > 0 && load_number(key, first + (to - 1) * stride) > number) --to;
    if (to == i) continue;
    std::memcpy(moved, first + i * stride, stride);
    std::memmove(first + (to + 1) * stride, first + to * stride,
                 (i - to) * stride);
    std::memcpy(first + to * stride, moved, stride);
  }
}

void rename_container(const ContainerSlot& slot, std::uint8_t* at,
                      const NewNames& names) {
  const Shape& shape = *slot.shape;
  const std::uint32_t count = *at;
  const std::uint32_t stride = shape.stride();
  const auto rename = [&](const Shape& number, Naming naming,
                          std::uint8_t* place) {
    store_number(number, place, names.of(naming, load_number(number, place)));
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint8_t* place = at + 1 + i * stride;
    if (shape.key != nullptr) {
      if (slot.key != Naming::kNothing) rename(*shape.key, slot.key, place);
      place += shape.key->size;
    }
    if (slot.element != Naming::kNothing) {
      rename(*shape.element, slot.element, place);
    }
  }
  if (!slot.is_sorted()) return;
  sort_slots(at + 1, count, stride,
             shape.key == nullptr ? *shape.element : *shape.key);
}

void move_elements(const ProcessBlock& block, std::uint8_t* at,
                   const NewNames& names) {
  thread_local std::vector<std::uint8_t> before;
  const std::size_t stride = block.stride;
  before.assign(at, at + names.processes * stride);
  for (std::size_t p = 0; p < names.processes; ++p) {
    std::memcpy(at + names.renaming.processes[p] * stride,
                before.data() + p * stride, stride);
  }
}

}  // namespace

Regions find_regions(const Program& program, const Flow& flow,
                     const Namings& namings) {
  const RegionMaker maker(program, flow, namings);
  Regions regions;
  regions.variables.size = program.client;
  for (std::size_t i = 0; i < program.variables.size(); ++i) {
    maker.add(flow.variable(i), program.variables[i].offset, regions.variables);
  }
  for (const Rest& rest : program.rests) {
    Region region;
    region.size = std::max(rest.frame_size, program.wide_pc() ? 2u : 1u);
    for (const FrameNumber& number : rest.numbers) {
      maker.add_number(maker.of_register(number.reg), *number.shape,
                       number.offset, region);
    }
    for (const FrameBlock& block : rest.blocks) {
      maker.add(flow.block(block.block), block.offset, region);
    }
    regions.rests.push_back(std::move(region));
  }
  for (std::size_t s = 0; s < program.layouts->structs.size(); ++s) {
    const StructLayout& layout = program.layouts->structs[s];
    Region region;
    region.size = program.cell_size;
    for (std::size_t f = 0; f < layout.fields.size(); ++f) {
      maker.add(flow.field(s, f), layout.fields[f].offset, region);
    }
    regions.structs.push_back(std::move(region));
  }
  return regions;
}

ValueNumbers::ValueNumbers(std::vector<std::int32_t> numbers)
    : numbers_(std::move(numbers)) {
  if (numbers_.empty()) return;
  const auto [low, high] =
      std::minmax_element(numbers_.begin(), numbers_.end());
  first_ = *low;
  indexes_.assign(static_cast<std::size_t>(*high - *low) + 1, -1);
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    indexes_[static_cast<std::size_t>(numbers_[i] - first_)] =
        static_cast<std::int8_t>(i);
  }
}

void rename_region(const Region& region, std::uint8_t* bytes,
                   const NewNames& names) {
  for (const NumberSlot& slot : region.processes) {
    std::uint8_t* at = bytes + slot.offset;
    store_number(*slot.shape, at, names.process(load_number(*slot.shape, at)));
  }
  for (const NumberSlot& slot : region.values) {
    std::uint8_t* at = bytes + slot.offset;
    store_number(*slot.shape, at, names.value(load_number(*slot.shape, at)));
  }
  for (const ContainerSlot& slot : region.containers) {
    rename_container(slot, bytes + slot.offset, names);
  }
  for (const ProcessBlock& block : region.blocks) {
    std::uint8_t* first = bytes + block.offset;
    if (block.element->has_names()) {
      for (std::size_t p = 0; p < names.processes; ++p) {
        rename_region(*block.element, first + p * block.stride, names);
      }
    }
    if (!names.renaming.processes.is_identity()) {
      move_elements(block, first, names);
    }
  }
}

}  // namespace plumb::lang
