// SPDX-License-Identifier: Apache-2.0
// The functions that the language brings with it.
#include <algorithm>
#include <utility>

#include "lang/compile.h"

namespace plumb::lang {
namespace {

struct ContainerOp {
  Op op;
  // What the last argument is: 'v' an element, 'k' a key (or a set's member)
  // that need not fit, 'i' an index, 'w' an element after an index, 'm' a
  // member that must fit, '_' nothing.
  char argument;
  // 'e' an element, 'b' a boolean, 'n' a number, '_' nothing.
  char result;
};

ContainerOp container_op(Builtin builtin) {
  switch (builtin) {
    case Builtin::kLen:
      return {Op::kLen, '_', 'n'};
    case Builtin::kContains:
      return {Op::kContains, 'k', 'b'};
    case Builtin::kPushBack:
      return {Op::kPushBack, 'v', '_'};
    case Builtin::kPushFront:
      return {Op::kPushFront, 'v', '_'};
    case Builtin::kPopBack:
      return {Op::kPopBack, '_', 'e'};
    case Builtin::kPopFront:
      return {Op::kPopFront, '_', 'e'};
    case Builtin::kFront:
      return {Op::kFront, '_', 'e'};
    case Builtin::kBack:
      return {Op::kBack, '_', 'e'};
    case Builtin::kRemoveAt:
      return {Op::kRemoveAt, 'i', 'e'};
    case Builtin::kInsertAt:
      return {Op::kInsertAt, 'w', '_'};
    case Builtin::kInsert:
      return {Op::kInsert, 'v', 'b'};
    case Builtin::kRemove:
      return {Op::kRemove, 'k', 'b'};
    case Builtin::kSmallest:
      return {Op::kSmallest, '_', 'e'};
    case Builtin::kAnyOf:
      return {Op::kAnyOf, '_', 'e'};
    default:
      return {Op::kClear, '_', '_'};
  }
}

}  // namespace

Operand Compiler::builtin(const Expression& expression) {
  switch (expression.builtin) {
    case Builtin::kCas:
    case Builtin::kDcas:
      return truth(expression);
    case Builtin::kFetchAdd:
      return fetch_add(expression);
    case Builtin::kExchange:
      return exchange(expression);
    case Builtin::kMin:
    case Builtin::kMax:
      return min_max(expression);
    case Builtin::kAny:
      return any_number(expression);
    case Builtin::kIndex: {
      Operand process = value(*expression.operands[0]);
      process.shape = nullptr;
      return process;
    }
    default:
      if (expression.operands[0]->type->kind == TypeKind::kValue) {
        fail_not_in_models(expression.span);
      }
      return container_call(expression);
  }
}

Operand Compiler::fetch_add(const Expression& expression) {
  const PlaceCode target = place(*expression.operands[0]);
  const Operand by = number_of(value(*expression.operands[1]));
  begin_access(target);
  const AddressCode at = address(target);
  Operand before = load(at);
  if (target.base == PlaceCode::Base::kRegister) {
    const Register kept = fresh(before.shape);
    emit(Op::kMove, kept, before.reg);
    before.reg = kept;
  }
  const Operand number = number_of(before);
  const Register sum = fresh(nullptr);
  emit(Op::kAdd, sum, number.reg, by.reg);
  const Range all{-INT32_MAX, INT32_MAX, false};
  store(at, fit({sum, all}, *target.shape, expression.span));
  return number;
}

Operand Compiler::exchange(const Expression& expression) {
  const PlaceCode target = place(*expression.operands[0]);
  const Operand next = value(*expression.operands[1]);
  begin_access(target);
  const AddressCode at = address(target);
  Operand before = load(at);
  if (target.base == PlaceCode::Base::kRegister) {
    const Register kept = fresh(before.shape);
    emit(Op::kMove, kept, before.reg);
    before.reg = kept;
  }
  store(at, fit(next, *target.shape, expression.span));
  return before;
}

Operand Compiler::min_max(const Expression& expression) {
  const Operand left = value(*expression.operands[0]);
  const Operand right = value(*expression.operands[1]);
  const Operand x = number_of(left);
  const Operand y = number_of(right);
  const bool least = expression.builtin == Builtin::kMin;
  Range range;
  range.low = least ? std::min(x.range.low, y.range.low)
                    : std::max(x.range.low, y.range.low);
  range.high = least ? std::min(x.range.high, y.range.high)
                     : std::max(x.range.high, y.range.high);
  if (range.low == range.high) return literal(range.low);
  const Register reg = fresh(program_.layouts->number(range));
  emit(least ? Op::kMin : Op::kMax, reg, x.reg, y.reg);
  return {reg, range};
}

Operand Compiler::any_number(const Expression& expression) {
  const Operand low = value(*expression.operands[0]);
  const Operand high = value(*expression.operands[1]);
  const Operand x = number_of(low);
  const Operand y = number_of(high);
  const Range range{std::min(x.range.low, y.range.low),
                    std::max(x.range.high, y.range.high), false};
  const Register reg = fresh(program_.layouts->number(range));
  emit(Op::kAny, reg, x.reg, y.reg);
  program_.defines.back() = program_.layouts->number(range);
  return {reg, range};
}

Operand Compiler::container_call(const Expression& expression) {
  const PlaceCode target = place(*expression.operands[0]);
  const Shape& shape = *target.shape;
  const ContainerOp op = container_op(expression.builtin);
  Operand first, second;
  if (op.argument != '_') first = value(*expression.operands[1]);
  if (op.argument == 'i' || op.argument == 'w') first = number_of(first);
  if (op.argument == 'w') {
    second =
        fit(value(*expression.operands[2]), *shape.element, expression.span);
  }
  if (op.argument == 'v') {
    first = fit(first, *shape.element, expression.span);
  }
  begin_access(target);
  const Register at = address_register(target);
  Operand made;
  if (op.result == 'e') {
    made = {fresh(shape.element), shape.element->range, shape.element};
  } else if (op.result == 'b') {
    made.shape = program_.layouts->boolean();
    made = {fresh(made.shape), made.shape->range, made.shape};
  } else if (op.result == 'n') {
    made.range = {0, static_cast<std::int32_t>(shape.count), false};
    made.reg = fresh(program_.layouts->number(made.range));
  }
  const Register a = op.argument == 'w' ? second.reg : made.reg;
  emit(op.op, a, at, first.reg, shape.id);
  if (op.result == 'e') program_.defines.back() = shape.element;
  if (op.result == 'n') {
    program_.defines.back() = program_.layouts->number(made.range);
  }
  return made;
}

}  // namespace plumb::lang
