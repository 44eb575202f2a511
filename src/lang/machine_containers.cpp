// SPDX-License-Identifier: Apache-2.0
// Instructions on sequences, sets and maps.
#include <cstring>

#include "lang/machine.h"

namespace plumb::lang {
namespace {

// The bytes of a container.
class View {
 public:
  View(const Shape& shape, std::uint8_t* at) : shape_(shape), at_(at) {}

  std::uint32_t size() const { return *at_; }
  bool is_full() const { return size() == shape_.count; }
  std::uint8_t* slot(std::uint32_t i) const {
    return at_ + 1 + i * shape_.stride();
  }
  // What a set or map is sorted by.
  std::int32_t key(std::uint32_t i) const {
    return load_number(shape_.key == nullptr ? *shape_.element : *shape_.key,
                       slot(i));
  }
  std::uint8_t* element_at(std::uint32_t i) const {
    return slot(i) + (shape_.key == nullptr ? 0 : shape_.key->size);
  }
  std::int32_t element(std::uint32_t i) const {
    return load_number(*shape_.element, element_at(i));
  }
  void set_element(std::uint32_t i, std::int32_t number) const {
    store_number(*shape_.element, element_at(i), number);
  }
  void set_key(std::uint32_t i, std::int32_t number) const {
    store_number(shape_.key == nullptr ? *shape_.element : *shape_.key, slot(i),
                 number);
  }
  // The first slot whose key is not less.
  std::uint32_t lower_bound(std::int32_t number) const {
    std::uint32_t i = 0;
    while (i < size() && key(i) < number) ++i;
    return i;
  }
  bool has_at(std::uint32_t i, std::int32_t number) const {
    return i < size() && key(i) == number;
  }
  // Requires: !is_full().
  void make_room(std::uint32_t i) const {
    std::memmove(slot(i + 1), slot(i), (size() - i) * shape_.stride());
    ++*at_;
  }
  // What is unused is zero, so that equal contents are equal bytes.
  void close_gap(std::uint32_t i) const {
    std::memmove(slot(i), slot(i + 1), (size() - i - 1) * shape_.stride());
    --*at_;
    std::memset(slot(size()), 0, shape_.stride());
  }
  void clear() const { std::memset(at_, 0, shape_.size); }

 private:
  const Shape& shape_;
  std::uint8_t* at_;
};

}  // namespace

bool Machine::in_container(const Instruction& instruction) {
  const Shape& shape =
      *program_->layouts->containers[static_cast<std::size_t>(instruction.imm)];
  std::uint8_t* const at_container = state() + registers_[instruction.b];
  const View view(shape, at_container);
  if (shape.element->kind == ShapeKind::kReference) references_changed = true;
  if (instruction.op == Op::kLen) {
    registers_[instruction.a] = static_cast<std::int32_t>(view.size());
    return true;
  }
  if (instruction.op == Op::kClear) {
    view.clear();
    return true;
  }
  if (instruction.op == Op::kAnyOf) {
    if (view.size() == 0) return stop_with(FaultKind::kEmptyContainer);
    registers_[instruction.a] = view.element(choose(view.size()));
    return true;
  }
  return shape.kind == ShapeKind::kSeq ? in_sequence(instruction, at_container)
                                       : in_sorted(instruction, at_container);
}

bool Machine::in_sequence(const Instruction& instruction,
                          std::uint8_t* container) {
  const Shape& shape =
      *program_->layouts->containers[static_cast<std::size_t>(instruction.imm)];
  const View view(shape, container);
  const std::uint32_t size = view.size();
  std::int32_t& a = registers_[instruction.a];
  switch (instruction.op) {
    case Op::kContains: {
      std::uint32_t i = 0;
      while (i < size && view.element(i) != registers_[instruction.c]) ++i;
      a = i < size ? 1 : 0;
      return true;
    }
    case Op::kPushBack:
    case Op::kPushFront: {
      if (view.is_full()) return stop_at_bound(shape.bound);
      const std::uint32_t i = instruction.op == Op::kPushBack ? size : 0;
      view.make_room(i);
      view.set_element(i, registers_[instruction.c]);
      return true;
    }
    case Op::kPopBack:
    case Op::kPopFront:
    case Op::kFront:
    case Op::kBack: {
      if (size == 0) return stop_with(FaultKind::kEmptyContainer);
      const bool last =
          instruction.op == Op::kPopBack || instruction.op == Op::kBack;
      const bool pops =
          instruction.op == Op::kPopBack || instruction.op == Op::kPopFront;
      const std::uint32_t i = last ? size - 1 : 0;
      a = view.element(i);
      if (pops) view.close_gap(i);
      return true;
    }
    default:
      break;
  }
  const auto index = static_cast<std::uint32_t>(registers_[instruction.c]);
  const bool inserts = instruction.op == Op::kInsertAt;
  if (index >= size + (inserts ? 1 : 0)) return stop_with(FaultKind::kIndex);
  if (inserts) {
    if (view.is_full()) return stop_at_bound(shape.bound);
    view.make_room(index);
    view.set_element(index, a);
  } else if (instruction.op == Op::kSetAt) {
    view.set_element(index, a);
  } else {
    a = view.element(index);
    if (instruction.op == Op::kRemoveAt) view.close_gap(index);
  }
  return true;
}

// Sets and maps.
bool Machine::in_sorted(const Instruction& instruction,
                        std::uint8_t* container) {
  const Shape& shape =
      *program_->layouts->containers[static_cast<std::size_t>(instruction.imm)];
  const View view(shape, container);
  std::int32_t& a = registers_[instruction.a];
  if (instruction.op == Op::kSmallest) {
    if (view.size() == 0) return stop_with(FaultKind::kEmptyContainer);
    a = view.key(0);
    return true;
  }
  const std::int32_t key = registers_[instruction.c];
  const std::uint32_t i = view.lower_bound(key);
  const bool found = view.has_at(i, key);
  switch (instruction.op) {
    case Op::kContains:
      a = found ? 1 : 0;
      return true;
    case Op::kRemove:
      if (found) view.close_gap(i);
      a = found ? 1 : 0;
      return true;
    case Op::kMapGet:
      if (!found) return stop_with(FaultKind::kMissingKey);
      a = view.element(i);
      return true;
    default:
      break;
  }
  // Insert, MapSet.
  if (!found) {
    if (view.is_full()) return stop_at_bound(shape.bound);
    view.make_room(i);
    view.set_key(i, key);
  }
  if (instruction.op == Op::kMapSet) {
    view.set_element(i, a);
  } else {
    a = found ? 0 : 1;
  }
  return true;
}

}  // namespace plumb::lang
