// SPDX-License-Identifier: Apache-2.0
// Expressions: each gives a register, and what range its value has.
#include <algorithm>
#include <utility>

#include "lang/compile.h"

namespace plumb::lang {
namespace {

constexpr std::int64_t kLowest = -INT32_MAX;
constexpr std::int64_t kHighest = INT32_MAX;

Op op_of(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return Op::kAdd;
    case Operator::kSubtract:
      return Op::kSubtract;
    case Operator::kMultiply:
      return Op::kMultiply;
    case Operator::kDivide:
      return Op::kDivide;
    case Operator::kRemainder:
      return Op::kRemainder;
    case Operator::kEqual:
      return Op::kEqual;
    case Operator::kUnequal:
      return Op::kUnequal;
    case Operator::kLess:
    case Operator::kGreater:
      return Op::kLess;
    default:
      return Op::kLessEqual;
  }
}

bool is_comparison(Operator op) {
  return op >= Operator::kEqual && op <= Operator::kGreaterEqual;
}

}  // namespace

bool Compiler::is_aggregate(const Expression& expression) const {
  switch (expression.type->kind) {
    case TypeKind::kArray:
    case TypeKind::kSeq:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return true;
    default:
      return false;
  }
}

Operand Compiler::literal(std::int64_t number) {
  if (number < kLowest || number > kHighest) {
    fail(span_, "the number is too large");
  }
  const auto small = static_cast<std::int32_t>(number);
  return {constant(small), {small, small, false}};
}

Operand Compiler::value(const Expression& expression) {
  const Span outer = std::exchange(span_, expression.span);
  Operand made;
  switch (expression.kind) {
    case ExpressionKind::kInteger:
    case ExpressionKind::kBoolean:
      made = literal(expression.number);
      break;
    case ExpressionKind::kText:
    case ExpressionKind::kList:
      fail_not_in_models(expression.span);
    case ExpressionKind::kNull:
      made = literal(0);
      break;
    case ExpressionKind::kNobody:
      made = literal(-1);
      break;
    case ExpressionKind::kEmpty:
      made = {constant(kEmptyNumber), {0, 0, true}};
      break;
    case ExpressionKind::kProcesses:
      made = literal(around_.constants.processes);
      break;
    case ExpressionKind::kSelf:
      made.reg = kSelf;
      made.shape = program_.layouts->process();
      made.range = made.shape->range;
      break;
    case ExpressionKind::kName:
      made = name_value(expression);
      break;
    case ExpressionKind::kField:
    case ExpressionKind::kIndex: {
      const PlaceCode at = place(expression);
      begin_access(at);
      made = load(address(at));
      break;
    }
    case ExpressionKind::kUnary:
      made = unary(expression);
      break;
    case ExpressionKind::kBinary:
      made = binary(expression);
      break;
    case ExpressionKind::kConditional:
      made = conditional(expression);
      break;
    case ExpressionKind::kCall:
      made = call(expression);
      break;
    case ExpressionKind::kBuiltin:
      made = builtin(expression);
      break;
    case ExpressionKind::kNew:
      made = make_cell(expression);
      break;
  }
  span_ = outer;
  return made;
}

Operand Compiler::name_value(const Expression& expression) {
  if (expression.constant != nullptr) {
    return literal(around_.constants.values.at(expression.constant));
  }
  if (expression.enumeration != nullptr) return literal(expression.number);
  const PlaceCode at = place(expression);
  begin_access(at);
  return load(address(at));
}

Operand Compiler::number_of(Operand operand) {
  if (!operand.range.empty) return operand;
  emit(Op::kCheckNumber, operand.reg);
  operand.range.empty = false;
  operand.shape = nullptr;
  return operand;
}

Operand Compiler::fit(Operand operand, const Shape& shape, Span span) {
  if (shape.kind != ShapeKind::kInt || shape.range.contains(operand.range)) {
    return operand;
  }
  const Span outer = std::exchange(span_, span);
  emit(Op::kCheckRange, operand.reg, constant(shape.range.low),
       constant(shape.range.high), shape.range.empty ? 1 : 0);
  span_ = outer;
  operand.range = {std::max(operand.range.low, shape.range.low),
                   std::min(operand.range.high, shape.range.high),
                   operand.range.empty && shape.range.empty};
  if (operand.range.low > operand.range.high) operand.range = shape.range;
  operand.shape = nullptr;
  return operand;
}

// Saves the move where the last instruction made the value in a register of
// its own.
void Compiler::move_to(Register target, const Operand& operand) {
  if (operand.reg == target) return;
  const std::size_t size = program_.code.size();
  if (size > barrier_ && operand.reg < program_.registers.size() &&
      program_.registers[operand.reg].name.empty()) {
    Instruction& last = program_.code.back();
    if (operand_use(last.op).a == 'd' && last.a == operand.reg) {
      last.a = target;
      return;
    }
  }
  emit(Op::kMove, target, operand.reg);
}

Operand Compiler::unary(const Expression& expression) {
  if (expression.op == Operator::kNot) {
    const Operand of = value(*expression.operands[0]);
    const Shape* boolean = program_.layouts->boolean();
    const Register reg = fresh(boolean);
    emit(Op::kNot, reg, of.reg);
    return {reg, boolean->range, boolean};
  }
  const Operand of = number_of(value(*expression.operands[0]));
  const Range range =
      result_range(Operator::kSubtract, {0, 0, false}, of.range);
  if (range.low == range.high) return literal(range.low);
  const Register reg = fresh(program_.layouts->number(range));
  emit(Op::kSubtract, reg, constant(0), of.reg);
  return {reg, range};
}

Operand Compiler::binary(const Expression& expression) {
  if (expression.op == Operator::kAnd || expression.op == Operator::kOr) {
    return truth(expression);
  }
  if (is_comparison(expression.op)) return comparison(expression);
  return arithmetic(expression);
}

Operand Compiler::arithmetic(const Expression& expression) {
  const Operand left = value(*expression.operands[0]);
  const Operand right = value(*expression.operands[1]);
  const Operand x = number_of(left);
  const Operand y = number_of(right);
  const Range range = result_range(expression.op, x.range, y.range);
  const bool divides = expression.op == Operator::kDivide ||
                       expression.op == Operator::kRemainder;
  if (range.low == range.high && !divides) return literal(range.low);
  const Register reg = fresh(program_.layouts->number(range));
  emit(op_of(expression.op), reg, x.reg, y.reg);
  return {reg, range};
}

Operand Compiler::comparison(const Expression& expression) {
  const Shape* boolean = program_.layouts->boolean();
  const Operator op = expression.op;
  const Expression& left = *expression.operands[0];
  const Expression& right = *expression.operands[1];
  if (is_aggregate(left)) {
    const PlaceCode x = place(left);
    const PlaceCode y = place(right);
    if (!x.shape->same_bytes_as(*y.shape)) {
      fail(expression.span, "the two sides have different sizes or ranges",
           "give them the same type");
    }
    begin_access(x.shared ? x : y);
    const Register at_x = address_register(x);
    const Register at_y = address_register(y);
    const Register same = fresh(boolean);
    emit(Op::kSame, same, at_x, at_y, static_cast<std::int32_t>(x.shape->size));
    if (op == Operator::kEqual) return {same, boolean->range, boolean};
    const Register other = fresh(boolean);
    emit(Op::kNot, other, same);
    return {other, boolean->range, boolean};
  }
  Operand x = value(left);
  Operand y = value(right);
  if (op >= Operator::kLess) {
    x = number_of(x);
    y = number_of(y);
  }
  if (op == Operator::kGreater || op == Operator::kGreaterEqual) {
    std::swap(x, y);
  }
  const Register reg = fresh(boolean);
  emit(op_of(op), reg, x.reg, y.reg);
  return {reg, boolean->range, boolean};
}

// A condition as a value: 1 on one path, 0 on the other.
Operand Compiler::truth(const Expression& expression) {
  const Shape* boolean = program_.layouts->boolean();
  const Register reg = fresh(boolean);
  JumpLabel no, end;
  branch(expression, false, no);
  emit(Op::kMove, reg, constant(1));
  emit_jump(Op::kJump, 0, 0, 0, end);
  bind(no);
  emit(Op::kMove, reg, constant(0));
  bind(end);
  return {reg, boolean->range, boolean};
}

Operand Compiler::conditional(const Expression& expression) {
  const Register reg = fresh(nullptr);
  JumpLabel no, end;
  branch(*expression.operands[0], false, no);
  const Operand x = value(*expression.operands[1]);
  emit(Op::kMove, reg, x.reg);
  emit_jump(Op::kJump, 0, 0, 0, end);
  bind(no);
  const Operand y = value(*expression.operands[2]);
  emit(Op::kMove, reg, y.reg);
  bind(end);
  Operand made;
  made.reg = reg;
  made.range = {std::min(x.range.low, y.range.low),
                std::max(x.range.high, y.range.high),
                x.range.empty || y.range.empty};
  const TypeKind kind = expression.type->kind;
  if (kind == TypeKind::kInt || kind == TypeKind::kEmpty ||
      kind == TypeKind::kValue) {
    program_.registers[reg].shape = program_.layouts->number(made.range);
  } else {
    made.shape = program_.layouts->shape(*expression.type, "", expression.span);
    made.range = made.shape->range;
    program_.registers[reg].shape = made.shape;
  }
  return made;
}

Operand Compiler::make_cell(const Expression& expression) {
  const std::uint16_t index = program_.layouts->index_of(*expression.structure);
  const StructLayout& layout = program_.layouts->structs[index];
  std::vector<Operand> values;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const Expression& given = *expression.operands[i];
    const FieldLayout& field = layout.fields[expression.field_indices[i]];
    values.push_back(fit(value(given), *field.shape, given.span));
  }
  // A cell that was freed may still be known to others: taking it again is
  // something that they can see.
  if (program_.frees() && atomic_ == 0) {
    step(StepKind::kAccess, kNoRegister, expression.span);
  }
  const Shape* reference = program_.layouts->reference(index);
  const Register reg = fresh(reference);
  emit(Op::kNew, reg, 0, 0, index);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FieldLayout& field = layout.fields[expression.field_indices[i]];
    AddressCode at;
    at.mode = AddressCode::Mode::kField;
    at.reg = reg;
    at.offset = static_cast<std::int32_t>(field.offset);
    at.shape = field.shape;
    at.span = expression.span;
    store(at, values[i]);
  }
  return {reg, reference->range, reference};
}

// Functions are copied to where they are called.
Operand Compiler::call(const Expression& expression) {
  const Function& function = *expression.function;
  std::vector<Operand> arguments;
  std::vector<std::uint16_t> blocks;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Expression& given = *expression.operands[i];
    const Shape* shape = shape_of(*function.parameters[i]);
    arguments.emplace_back();
    blocks.push_back(0);
    if (is_aggregate(given)) {
      blocks[i] = local_block(shape, function.parameters[i]->name);
      PlaceCode to;
      to.base = PlaceCode::Base::kLocal;
      to.block = blocks[i];
      to.shape = shape;
      copy(to, place(given));
    } else {
      arguments[i] = fit(value(given), *shape, given.span);
    }
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& parameter = *function.parameters[i];
    const Shape* shape = shape_of(parameter);
    Storage storage{kNoRegister, blocks[i], shape};
    if (shape->is_number()) {
      storage.reg = fresh(shape, parameter.name);
      emit(Op::kMove, storage.reg, arguments[i].reg);
    }
    storage_[&parameter] = storage;
  }
  return inline_body(function);
}

Operand Compiler::inline_body(const Function& function) {
  JumpLabel end;
  FunctionContext context;
  context.result = shape_of(function);
  context.end = &end;
  context.linearize_depth = linearize_depth_;
  context.operation = false;
  Operand made;
  if (context.result != nullptr && context.result->is_number()) {
    context.result_register = fresh(context.result, function.name);
    made = {context.result_register, context.result->range, context.result};
  } else if (context.result != nullptr) {
    context.result_block = local_block(context.result, function.name);
    result_block_ = context.result_block;
  }
  functions_.push_back(context);
  const Span outer_statement = statement_;
  const Span outer_span = span_;
  statement(*function.body);
  if (context.result != nullptr) {
    span_ = function.span;
    emit(Op::kFail, 0, 0, 0, static_cast<std::int32_t>(FaultKind::kNoResult));
  }
  span_ = outer_span;
  statement_ = outer_statement;
  functions_.pop_back();
  bind(end);
  return made;
}

void Compiler::note(std::size_t jump, Condition::Kind kind, bool if_taken,
                    Span text) {
  program_.conditions[jump] = {kind, if_taken, text};
}

void Compiler::branch(const Expression& condition, bool sense,
                      JumpLabel& label) {
  const Span outer = std::exchange(span_, condition.span);
  const bool both = condition.kind == ExpressionKind::kBinary;
  if (condition.kind == ExpressionKind::kUnary) {
    branch(*condition.operands[0], !sense, label);
  } else if (both && (condition.op == Operator::kAnd ||
                      condition.op == Operator::kOr)) {
    // `x && y` is decided by a false x, `x || y` by a true one.
    const bool decides = condition.op == Operator::kOr;
    if (sense == decides) {
      branch(*condition.operands[0], sense, label);
      branch(*condition.operands[1], sense, label);
    } else {
      JumpLabel skip;
      branch(*condition.operands[0], decides, skip);
      branch(*condition.operands[1], sense, label);
      bind(skip);
    }
  } else if (both && !is_aggregate(*condition.operands[0])) {
    branch_on_comparison(condition, sense, label);
  } else if (condition.kind == ExpressionKind::kBuiltin &&
             (condition.builtin == Builtin::kCas ||
              condition.builtin == Builtin::kDcas)) {
    branch_on_cas(condition, sense, label);
  } else {
    const Operand of = value(condition);
    if (of.range.low == of.range.high) {
      if ((of.range.low == 1) == sense) emit_jump(Op::kJump, 0, 0, 0, label);
    } else {
      const std::size_t jump =
          emit_jump(sense ? Op::kJumpIf : Op::kJumpUnless, of.reg, 0, 0, label);
      note(jump, Condition::Kind::kText, sense, condition.span);
    }
  }
  span_ = outer;
}

void Compiler::branch_on_comparison(const Expression& condition, bool sense,
                                    JumpLabel& label) {
  Operator op = condition.op;
  Operand x = value(*condition.operands[0]);
  Operand y = value(*condition.operands[1]);
  if (op >= Operator::kLess) {
    x = number_of(x);
    y = number_of(y);
  }
  if (op == Operator::kGreater || op == Operator::kGreaterEqual) {
    std::swap(x, y);
    op = op == Operator::kGreater ? Operator::kLess : Operator::kLessEqual;
  }
  Op jump = Op::kJumpEqual;
  if (op == Operator::kEqual || op == Operator::kUnequal) {
    jump =
        (op == Operator::kEqual) == sense ? Op::kJumpEqual : Op::kJumpUnequal;
  } else if (sense) {
    jump = op == Operator::kLess ? Op::kJumpLess : Op::kJumpLessEqual;
  } else {
    // Not x < y: y <= x.
    jump = op == Operator::kLess ? Op::kJumpLessEqual : Op::kJumpLess;
    std::swap(x, y);
  }
  note(emit_jump(jump, 0, x.reg, y.reg, label), Condition::Kind::kText, sense,
       condition.span);
}

// cas and dcas are a step's worth of plain instructions: the store lies on
// the path of success only, so that all analyses see what a failing cas
// leaves alone.
void Compiler::branch_on_cas(const Expression& condition, bool sense,
                             JumpLabel& label) {
  const std::size_t places = condition.builtin == Builtin::kCas ? 1 : 2;
  std::vector<PlaceCode> targets;
  std::vector<Operand> old_values, new_values;
  for (std::size_t i = 0; i < places; ++i) {
    targets.push_back(place(*condition.operands[i]));
  }
  for (std::size_t i = 0; i < places; ++i) {
    old_values.push_back(value(*condition.operands[places + i]));
  }
  for (std::size_t i = 0; i < places; ++i) {
    const Expression& given = *condition.operands[2 * places + i];
    new_values.push_back(value(given));
  }
  if (places == 1) {
    begin_access(targets[0]);
  } else if (atomic_ == 0) {
    step(StepKind::kAccess, kNoRegister, condition.span);
  }
  JumpLabel failed;
  JumpLabel& failure = sense ? failed : label;
  std::vector<AddressCode> addresses;
  for (std::size_t i = 0; i < places; ++i) {
    addresses.push_back(address(targets[i]));
    const Operand seen = load(addresses[i]);
    const std::size_t jump =
        emit_jump(Op::kJumpUnequal, 0, seen.reg, old_values[i].reg, failure);
    note(jump, Condition::Kind::kCas, false, condition.span);
  }
  for (std::size_t i = 0; i < places; ++i) {
    store(addresses[i], fit(new_values[i], *targets[i].shape, condition.span));
  }
  emit(Op::kSucceeded);
  if (sense) {
    emit_jump(Op::kJump, 0, 0, 0, label);
    bind(failed);
  }
}

}  // namespace plumb::lang
