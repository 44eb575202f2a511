// SPDX-License-Identifier: Apache-2.0
// Variables, fields and elements: where they are, reading and writing them.
#include <utility>

#include "lang/compile.h"

namespace plumb::lang {
namespace {

// The three loads, and the four stores, of each kind stand next to each
// other: byte, short, word, reference.
Op shifted(Op first, std::size_t by) {
  return static_cast<Op>(static_cast<std::size_t>(first) + by);
}

Op load_op(Op byte, const Shape& shape) {
  return shifted(byte, static_cast<std::size_t>(shape.codec));
}

Op store_op(Op byte, const Shape& shape) {
  if (shape.kind == ShapeKind::kReference) return shifted(byte, 3);
  return shifted(byte, static_cast<std::size_t>(shape.codec));
}

}  // namespace

PlaceCode Compiler::place_of_variable(const Expression& expression) {
  const Variable& variable = *expression.variable;
  PlaceCode made;
  made.span = expression.span;
  if (const auto shared = shared_.find(&variable); shared != shared_.end()) {
    made.base = PlaceCode::Base::kFixed;
    made.shared = true;
    made.offset = shared->second;
    made.shape = shape_of(variable);
    return made;
  }
  const Storage& storage = storage_.at(&variable);
  made.shape = storage.shape;
  if (storage.shape->is_number()) {
    made.reg = storage.reg;
  } else {
    made.base = PlaceCode::Base::kLocal;
    made.block = storage.block;
  }
  return made;
}

PlaceCode Compiler::place_of_element(const Expression& expression) {
  if (expression.operands[0]->type->kind == TypeKind::kValue) {
    fail_not_in_models(expression.span);
  }
  PlaceCode made = place(*expression.operands[0]);
  const Operand index = value(*expression.operands[1]);
  made.span = expression.span;
  const Shape& whole = *made.shape;
  if (whole.kind == ShapeKind::kArray) {
    const Operand number = number_of(index);
    made.indices.push_back(
        {number.reg, whole.element->size, whole.count, expression.span});
  } else {
    made.container = &whole;
    // A key that the map cannot hold is simply not there.
    made.element = index.reg;
  }
  made.shape = whole.element;
  return made;
}

PlaceCode Compiler::place(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kName:
      return place_of_variable(expression);
    case ExpressionKind::kIndex:
      return place_of_element(expression);
    case ExpressionKind::kField: {
      const Operand cell = value(*expression.operands[0]);
      const std::uint16_t structure =
          program_.layouts->index_of(*expression.structure);
      const FieldLayout& field =
          program_.layouts->structs[structure].fields[expression.field];
      PlaceCode made;
      made.base = PlaceCode::Base::kCell;
      made.shared = true;
      made.reg = cell.reg;
      made.offset = field.offset;
      made.shape = field.shape;
      made.span = expression.span;
      return made;
    }
    case ExpressionKind::kCall: {
      call(expression);
      PlaceCode made;
      made.base = PlaceCode::Base::kLocal;
      made.block = result_block_;
      made.shape = program_.blocks[made.block].shape;
      made.span = expression.span;
      return made;
    }
    default:
      fail(expression.span, "this is no variable, field or element");
  }
}

void Compiler::begin_access(const PlaceCode& place) {
  if (!place.shared || atomic_ != 0) return;
  const bool in_cell = place.base == PlaceCode::Base::kCell;
  step(StepKind::kAccess, in_cell ? place.reg : kNoRegister, place.span);
}

// Requires: nothing but instructions of this access follows, up to the next
// step: addresses are not kept between steps.
Register Compiler::address_register(const PlaceCode& place, bool defines) {
  const Span outer = std::exchange(span_, place.span);
  const auto offset = static_cast<std::int32_t>(place.offset);
  Register at = fresh(nullptr);
  switch (place.base) {
    case PlaceCode::Base::kCell:
      emit(Op::kField, at, place.reg, 0, offset);
      break;
    case PlaceCode::Base::kLocal:
      emit(Op::kAddress, at, static_cast<Register>(place.block + 1),
           defines ? 1 : 0, program_.blocks[place.block].address);
      break;
    default:
      emit(Op::kAddress, at, 0, 0, offset);
  }
  for (const PlaceCode::IndexCode& index : place.indices) {
    const Register next = fresh(nullptr);
    span_ = index.span;
    const std::uint32_t packed = index.stride << 16 | index.count;
    emit(Op::kIndex, next, at, index.reg, static_cast<std::int32_t>(packed));
    at = next;
  }
  span_ = outer;
  return at;
}

AddressCode Compiler::address(const PlaceCode& place) {
  AddressCode made;
  made.shape = place.shape;
  made.span = place.span;
  if (place.container != nullptr) {
    made.mode = AddressCode::Mode::kElement;
    made.container = place.container;
    made.element = place.element;
    made.reg = address_register(place);
  } else if (place.base == PlaceCode::Base::kRegister) {
    made.reg = place.reg;
  } else if (!place.indices.empty() || place.base == PlaceCode::Base::kLocal) {
    made.mode = AddressCode::Mode::kAt;
    made.reg = address_register(place);
  } else {
    made.mode = place.base == PlaceCode::Base::kCell
                    ? AddressCode::Mode::kField
                    : AddressCode::Mode::kFixed;
    made.reg = place.reg;
    made.offset = static_cast<std::int32_t>(place.offset);
  }
  return made;
}

Operand Compiler::load(const AddressCode& at) {
  if (at.mode == AddressCode::Mode::kRegister) {
    return {at.reg, at.shape->range, at.shape};
  }
  const Span outer = std::exchange(span_, at.span);
  const Register reg = fresh(at.shape);
  const auto bias = static_cast<Register>(at.shape->bias);
  switch (at.mode) {
    case AddressCode::Mode::kFixed:
      emit(load_op(Op::kLoadByte, *at.shape), reg, 0, bias, at.offset);
      break;
    case AddressCode::Mode::kField:
      emit(load_op(Op::kLoadByteField, *at.shape), reg, at.reg, bias,
           at.offset);
      break;
    case AddressCode::Mode::kAt:
      emit(load_op(Op::kLoadByteAt, *at.shape), reg, at.reg, bias, at.offset);
      break;
    default:
      emit(at.container->kind == ShapeKind::kMap ? Op::kMapGet : Op::kAt, reg,
           at.reg, at.element, at.container->id);
  }
  program_.defines.back() = at.shape;
  span_ = outer;
  return {reg, at.shape->range, at.shape};
}

// Requires: fit() was asked.
void Compiler::store(const AddressCode& at, const Operand& operand) {
  const Span outer = std::exchange(span_, at.span);
  if (at.mode == AddressCode::Mode::kRegister) {
    move_to(at.reg, operand);
  } else if (at.mode == AddressCode::Mode::kElement) {
    const bool map = at.container->kind == ShapeKind::kMap;
    if (map) fit_key(*at.container, at.element);
    emit(map ? Op::kMapSet : Op::kSetAt, operand.reg, at.reg, at.element,
         at.container->id);
  } else {
    store_in_memory(at, operand.reg);
  }
  span_ = outer;
}

void Compiler::store_in_memory(const AddressCode& at, Register reg) {
  const auto bias = static_cast<Register>(at.shape->bias);
  switch (at.mode) {
    case AddressCode::Mode::kFixed:
      emit(store_op(Op::kStoreByte, *at.shape), reg, 0, bias, at.offset);
      break;
    case AddressCode::Mode::kField:
      emit(store_op(Op::kStoreByteField, *at.shape), reg, at.reg, bias,
           at.offset);
      break;
    default:
      emit(store_op(Op::kStoreByteAt, *at.shape), reg, at.reg, bias, at.offset);
  }
}

void Compiler::fit_key(const Shape& container, Register key) {
  if (container.key->kind != ShapeKind::kInt) return;
  const Range& range = container.key->range;
  emit(Op::kCheckRange, key, constant(range.low), constant(range.high),
       range.empty ? 1 : 0);
}

void Compiler::copy(const PlaceCode& to, const PlaceCode& from) {
  if (!to.shape->same_bytes_as(*from.shape)) {
    fail(from.span, "the two sides have different sizes or ranges",
         "give them the same type");
  }
  begin_access(from.shared ? from : to);
  const bool whole = to.base == PlaceCode::Base::kLocal && to.indices.empty();
  const Register source = address_register(from);
  const Register target = address_register(to, whole);
  std::vector<ReferenceSlot> references;
  find_references(*to.shape, 0, references);
  emit(Op::kCopy, target, source, references.empty() ? 0 : 1,
       static_cast<std::int32_t>(to.shape->size));
}

}  // namespace plumb::lang
