// SPDX-License-Identifier: Apache-2.0
#include "lang/symmetry_keys.h"

#include <algorithm>
#include <cstring>

#include "lang/heap.h"

namespace plumb::lang {
namespace {

// What stands for a name in a key.  Should a plain number look the same, then
// keys are equal more often than they need be.
constexpr int kNoToken = -1;
constexpr int kOtherProcess = 0xFD, kThisProcess = 0xFE;
constexpr int kSharedValue = 0x80, kLocalValue = 0xC0;

}  // namespace

void SortKeys::make(const SymmetryPlan& plan, lts::StateView state) {
  plan_ = &plan;
  state_ = state;
  bytes_.clear();
  named_ = 0;
  number_cells();
  name_values();
  const std::size_t processes = plan.program.processes;
  if (plan.names_processes) find_named();
  for (std::size_t p = 0; p < processes; ++p) make_key(p);
}

void SortKeys::find_named() {
  const SymmetryPlan& plan = *plan_;
  for (std::size_t p = 0; p < plan.program.processes; ++p) {
    where_named_[p].clear();
  }
  find_named(plan.regions.variables, state_.data(), 0);
  for (std::uint32_t i = 1; i <= stable_cells_; ++i) {
    const Region& region = plan.regions.structs[structure_[i]];
    if (region.has_names()) {
      find_named(region, plan.cell(state_, stable_name_[i]),
                 static_cast<std::uint8_t>(i));
    }
  }
}

int SortKeys::compare(std::size_t p, std::size_t q) const {
  const Own& x = own_[p];
  const Own& y = own_[q];
  const std::uint32_t length = std::min(x.end - x.begin, y.end - y.begin);
  const int order =
      std::memcmp(bytes_.data() + x.begin, bytes_.data() + y.begin, length);
  if (order != 0) return order;
  return static_cast<int>(x.end - x.begin) - static_cast<int>(y.end - y.begin);
}

bool SortKeys::are_twins(std::size_t p, std::size_t q) const {
  if ((named_ >> p & 1) != 0 || (named_ >> q & 1) != 0) return false;
  const Own& x = own_[p];
  const Own& y = own_[q];
  if (plan_->values.size() == 0 && !x.shares_cells && !y.shares_cells &&
      !x.names_others && !y.names_others) {
    return true;
  }
  return !x.has_cells && !y.has_cells &&
         std::memcmp(plan_->frame(state_, p), plan_->frame(state_, q),
                     plan_->program.frame_size) == 0 &&
         same_elements(p, q);
}

bool SortKeys::same_elements(std::size_t p, std::size_t q) const {
  const auto& blocks = plan_->regions.variables.blocks;
  return std::all_of(
      blocks.begin(), blocks.end(), [&](const ProcessBlock& block) {
        const std::uint8_t* first = state_.data() + block.offset;
        return std::memcmp(first + p * block.stride, first + q * block.stride,
                           block.stride) == 0;
      });
}

// Breadth first from the variables, like collect().
void SortKeys::number_cells() {
  stable_cells_ = 0;
  if (!plan_->program.has_heap()) return;
  const std::size_t cells = plan_->cells(state_);
  std::memset(stable_.data(), 0, cells + 1);
  std::memset(owner_.data(), 0, cells + 1);
  follow(plan_->regions.variables.references, state_.data());
  for (std::uint32_t i = 1; i <= stable_cells_; ++i) {
    follow(plan_->regions.structs[structure_[i]].references,
           plan_->cell(state_, stable_name_[i]));
  }
}

void SortKeys::follow(const std::vector<ReferenceSlot>& slots,
                      const std::uint8_t* bytes) {
  for (const ReferenceSlot& slot : slots) {
    const std::uint8_t name = bytes[slot.offset];
    if (name == 0 || stable_[name] != 0) continue;
    ++stable_cells_;
    stable_[name] = static_cast<std::uint8_t>(stable_cells_);
    stable_name_[stable_cells_] = name;
    structure_[stable_cells_] = static_cast<std::uint8_t>(slot.structure);
  }
}

void SortKeys::name_values() {
  shared_values_ = 0;
  if (plan_->values.size() == 0) return;
  shared_value_.fill(kNoName);
  name_values(plan_->regions.variables, state_.data());
  for (std::uint32_t i = 1; i <= stable_cells_; ++i) {
    name_values(plan_->regions.structs[structure_[i]],
                plan_->cell(state_, stable_name_[i]));
  }
}

// Where the order does not depend on names.
void SortKeys::name_values(const Region& region, const std::uint8_t* bytes) {
  const auto see = [&](const Shape& shape, const std::uint8_t* at) {
    const int i = plan_->values.index_of(load_number(shape, at));
    if (i < 0) return;
    std::uint8_t& name = shared_value_[static_cast<std::size_t>(i)];
    if (name == kNoName) name = shared_values_++;
  };
  for (const NumberSlot& slot : region.values) {
    see(*slot.shape, bytes + slot.offset);
  }
  for (const ContainerSlot& slot : region.containers) {
    if (slot.is_sorted() || slot.element != Naming::kValue) continue;
    const std::uint8_t* at = bytes + slot.offset;
    const Shape& shape = *slot.shape;
    const std::uint32_t key_size = shape.key == nullptr ? 0 : shape.key->size;
    for (std::uint32_t i = 0; i < *at; ++i) {
      see(*shape.element, at + 1 + i * shape.stride() + key_size);
    }
  }
}

void SortKeys::note_named(std::int32_t process, std::uint8_t where,
                          std::size_t slot) {
  const auto p = static_cast<std::size_t>(static_cast<std::uint32_t>(process));
  if (p >= plan_->program.processes) return;
  named_ = static_cast<std::uint16_t>(named_ | 1u << p);
  where_named_[p].push_back(where);
  where_named_[p].push_back(static_cast<std::uint8_t>(slot));
}

// Processes that are named in what all can see; `where` tells which part that
// is.
void SortKeys::find_named(const Region& region, const std::uint8_t* bytes,
                          std::uint8_t where) {
  std::size_t slots = 0;
  for (const NumberSlot& slot : region.processes) {
    note_named(load_number(*slot.shape, bytes + slot.offset), where, ++slots);
  }
  for (const ContainerSlot& slot : region.containers) {
    const Shape& shape = *slot.shape;
    const std::uint8_t* at = bytes + slot.offset;
    const std::uint32_t key_size = shape.key == nullptr ? 0 : shape.key->size;
    // What such a map refers to is not looked at.
    if (slot.is_sorted() && shape.element->kind == ShapeKind::kReference) {
      mark_all_named();
    }
    for (std::uint32_t i = 0; i < *at; ++i) {
      const std::uint8_t* place = at + 1 + i * shape.stride();
      ++slots;
      // The order of names is no place.
      const std::size_t place_number = slot.is_sorted() ? 0 : slots;
      if (slot.key == Naming::kProcess) {
        note_named(
            load_number(key_size == 0 ? *shape.element : *shape.key, place),
            where, place_number);
      }
      if (slot.element == Naming::kProcess && slot.key != Naming::kProcess) {
        note_named(load_number(*shape.element, place + key_size), where,
                   place_number);
      } else if (slot.element == Naming::kProcess && key_size != 0) {
        mark_all_named();
      }
    }
  }
  // The elements of variables are compared by are_twins(), those of cells
  // are not.
  if (!region.blocks.empty() && where != 0) mark_all_named();
}

void SortKeys::make_key(std::size_t process) {
  process_ = process;
  Own& own = own_[process];
  own = {};
  own.begin = static_cast<std::uint32_t>(bytes_.size());
  local_cells_ = 0;
  local_values_ = 0;
  if (plan_->values.size() != 0) local_value_.fill(kNoName);
  const std::uint32_t cells = plan_->cells(state_);
  if (cells != stable_cells_) std::memset(local_.data(), 0, cells + 1);
  bytes_.push_back(plan_->calls_of(state_, process));
  const std::uint8_t* frame = plan_->frame(state_, process);
  const Region& at_rest = plan_->regions.rests[rest_of(plan_->program, frame)];
  add_region(at_rest, frame);
  if (plan_->names_processes) add_shared_elements();
  for (std::uint32_t i = 1; i <= local_cells_; ++i) {
    const Region& region = plan_->regions.structs[local_structure_[i]];
    add_region(region, plan_->cell(state_, local_name_[i]));
  }
  if (plan_->names_processes) {
    const auto& where = where_named_[process];
    bytes_.insert(bytes_.end(), where.begin(), where.end());
  }
  own_[process].end = static_cast<std::uint32_t>(bytes_.size());
}

void SortKeys::add_shared_elements() {
  add_elements(plan_->regions.variables, state_.data());
  for (std::uint32_t i = 1; i <= stable_cells_; ++i) {
    const Region& region = plan_->regions.structs[structure_[i]];
    if (region.blocks.empty()) continue;
    add_elements(region, plan_->cell(state_, stable_name_[i]));
  }
}

// The process's own elements of arrays that have one for each process.
void SortKeys::add_elements(const Region& region, const std::uint8_t* bytes) {
  for (const ProcessBlock& block : region.blocks) {
    add_region(*block.element, bytes + block.offset + process_ * block.stride);
  }
}

void SortKeys::add_region(const Region& region, const std::uint8_t* from) {
  const std::size_t begin = bytes_.size();
  bytes_.insert(bytes_.end(), from, from + region.size);
  const auto put = [&](const NumberSlot& slot, Naming naming) {
    const std::uint8_t* place = from + slot.offset;
    const int name = token(naming, load_number(*slot.shape, place));
    if (name == kNoToken) return;
    std::memset(bytes_.data() + begin + slot.offset, name, slot.shape->size);
  };
  for (const NumberSlot& slot : region.processes) put(slot, Naming::kProcess);
  for (const NumberSlot& slot : region.values) put(slot, Naming::kValue);
  for (const ReferenceSlot& slot : region.references) {
    bytes_[begin + slot.offset] = cell_token(from[slot.offset], slot.structure);
  }
  for (const ContainerSlot& slot : region.containers) {
    add_container(slot, from + slot.offset, begin + slot.offset);
  }
  // Exchanging two processes exchanges elements here, whosever this is.
  if (!region.blocks.empty()) mark_all_named();
  for (const ProcessBlock& block : region.blocks) {
    std::memset(bytes_.data() + begin + block.offset, 0,
                plan_->program.processes * block.stride);
  }
  add_elements(region, from);
}

// `at`: where the key has its copy.  Of what is sorted by names only the size
// stays, and whether the process is in it.
void SortKeys::add_container(const ContainerSlot& slot,
                             const std::uint8_t* from, std::size_t at) {
  const Shape& shape = *slot.shape;
  const std::uint32_t key_size = shape.key == nullptr ? 0 : shape.key->size;
  std::uint8_t itself = 0;
  for (std::uint32_t i = 0; i < *from; ++i) {
    const std::uint32_t offset = 1 + i * shape.stride();
    const std::uint8_t* place = from + offset;
    const auto look = [&](const Shape& number, const std::uint8_t* where,
                          Naming naming) {
      if (naming == Naming::kNothing) return kNoToken;
      if (slot.is_sorted() && naming == Naming::kValue) return kNoToken;
      return token(naming, load_number(number, where));
    };
    if (look(key_size == 0 ? *shape.element : *shape.key, place, slot.key) ==
        kThisProcess) {
      itself = 1;
    }
    const int element = look(*shape.element, place + key_size, slot.element);
    if (!slot.is_sorted() && element != kNoToken) {
      std::memset(bytes_.data() + at + offset + key_size, element,
                  shape.element->size);
    }
  }
  if (!slot.is_sorted()) return;
  std::memset(bytes_.data() + at + 1, 0, shape.size - 1);
  bytes_.push_back(itself);
  // Cells that only such a container knows are not looked at.
  own_[process_].has_cells = true;
  own_[process_].shares_cells = true;
}

int SortKeys::token(Naming naming, std::int32_t number) {
  if (naming == Naming::kProcess) {
    const auto p = static_cast<std::size_t>(static_cast<std::uint32_t>(number));
    if (p >= plan_->program.processes) return kNoToken;
    named_ = static_cast<std::uint16_t>(named_ | 1u << p);
    if (p == process_) return kThisProcess;
    own_[process_].names_others = true;
    return kOtherProcess;
  }
  const int i = plan_->values.index_of(number);
  if (i < 0) return kNoToken;
  const std::uint8_t shared = shared_value_[static_cast<std::size_t>(i)];
  if (shared != kNoName) return kSharedValue + shared;
  std::uint8_t& local = local_value_[static_cast<std::size_t>(i)];
  if (local == kNoName) local = local_values_++;
  return kLocalValue + local;
}

std::uint8_t SortKeys::cell_token(std::uint8_t name, std::uint16_t structure) {
  if (name == 0 || stable_[name] != 0) return name == 0 ? name : stable_[name];
  Own& own = own_[process_];
  own.has_cells = true;
  if (local_[name] == 0) {
    ++local_cells_;
    local_[name] = static_cast<std::uint8_t>(local_cells_);
    local_name_[local_cells_] = name;
    local_structure_[local_cells_] = static_cast<std::uint8_t>(structure);
    const auto mine = static_cast<std::uint8_t>(process_ + 1);
    if (owner_[name] != 0 && owner_[name] != mine) {
      own.shares_cells = true;
      if (owner_[name] != kNoName) {
        own_[static_cast<std::size_t>(owner_[name] - 1)].shares_cells = true;
      }
      owner_[name] = kNoName;
    } else {
      owner_[name] = mine;
    }
  }
  return static_cast<std::uint8_t>(stable_cells_ + local_[name]);
}

}  // namespace plumb::lang
