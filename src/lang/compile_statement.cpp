// SPDX-License-Identifier: Apache-2.0
// Statements.
#include <algorithm>
#include <utility>

#include "lang/compile.h"

namespace plumb::lang {

namespace {

// From the beginning of one to the end of the other: what has a range is on the
// left, and people look for the fault in what is shown.
Span joined(Span first, Span last) {
  const auto begin = std::min(first.begin, last.begin);
  return {begin, last.begin + last.length - begin};
}

}  // namespace

void Compiler::statement(const Statement& statement) {
  const Span outer_statement = std::exchange(statement_, statement.head);
  const Span outer_span = std::exchange(span_, statement.span);
  statement_of_kind(statement);
  statement_ = outer_statement;
  span_ = outer_span;
}

void Compiler::statement_of_kind(const Statement& of) {
  switch (of.kind) {
    case StatementKind::kBlock:
      for (const StatementPtr& part : of.body) statement(*part);
      break;
    case StatementKind::kDeclare:
      declare(of);
      break;
    case StatementKind::kAssign:
      assign(*of.target, *of.value);
      break;
    case StatementKind::kEvaluate:
      if (is_aggregate(*of.value)) {
        place(*of.value);
      } else {
        value(*of.value);
      }
      break;
    case StatementKind::kIf:
      if_else(of, false);
      break;
    case StatementKind::kWhile:
      while_loop(of);
      break;
    case StatementKind::kDoWhile:
      do_while(of);
      break;
    case StatementKind::kFor:
      for_loop(of);
      break;
    case StatementKind::kBreak:
      leave_loop(false);
      break;
    case StatementKind::kContinue:
      leave_loop(true);
      break;
    case StatementKind::kReturn:
      return_statement(of);
      break;
    case StatementKind::kAtomic:
      atomic(of);
      break;
    case StatementKind::kAwait:
      await(of);
      break;
    case StatementKind::kChoose:
      choose(of);
      break;
    case StatementKind::kAssert: {
      const Operand holds = value(*of.value);
      span_ = of.value->span;
      emit(Op::kAssert, holds.reg);
      break;
    }
    case StatementKind::kDelete:
      delete_cell(of);
      break;
    case StatementKind::kSkip:
      if (atomic_ == 0) step(StepKind::kAccess, kNoRegister, of.span);
      break;
    case StatementKind::kLinearize:
      linearize(of);
      break;
  }
}

void Compiler::declare(const Statement& of) {
  for (const auto& variable : of.variables) {
    declare(*variable, variable->initial.get());
  }
}

void Compiler::declare(const Variable& variable, const Expression* initial) {
  const Shape* shape = shape_of(variable);
  Storage storage{kNoRegister, 0, shape};
  if (!shape->is_number()) {
    storage.block = local_block(shape, variable.name);
    emit(Op::kDefault, 0, 0, 0, storage.block);
    if (initial != nullptr) {
      PlaceCode to;
      to.base = PlaceCode::Base::kLocal;
      to.block = storage.block;
      to.shape = shape;
      copy(to, place(*initial));
    }
    storage_[&variable] = storage;
    return;
  }
  Operand first;
  if (initial != nullptr) {
    first = fit(value(*initial), *shape, joined(variable.span, initial->span));
  } else {
    first = literal(default_number(*shape));
  }
  storage.reg = fresh(shape, variable.name);
  storage_[&variable] = storage;
  move_to(storage.reg, first);
}

void Compiler::assign(const Expression& target, const Expression& from) {
  const PlaceCode to = place(target);
  if (is_aggregate(target)) {
    copy(to, place(from));
    return;
  }
  const Operand made =
      fit(value(from), *to.shape, joined(target.span, from.span));
  begin_access(to);
  store(address(to), made);
}

void Compiler::if_else(const Statement& of, bool marks) {
  JumpLabel no, end;
  branch(*of.value, false, no);
  if (marks) mark();
  statement(*of.body[0]);
  if (of.body.size() > 1) {
    emit_jump(Op::kJump, 0, 0, 0, end);
    bind(no);
    statement(*of.body[1]);
  } else {
    bind(no);
  }
  bind(end);
}

void Compiler::while_loop(const Statement& of) {
  JumpLabel next, end;
  bind(next);
  branch(*of.value, false, end);
  loops_.push_back({&next, &end, linearize_depth_});
  statement(*of.body[0]);
  loops_.pop_back();
  emit_jump(Op::kJump, 0, 0, 0, next);
  bind(end);
}

void Compiler::do_while(const Statement& of) {
  JumpLabel first, next, end;
  bind(first);
  loops_.push_back({&next, &end, linearize_depth_});
  statement(*of.body[0]);
  loops_.pop_back();
  bind(next);
  branch(*of.value, true, first);
  bind(end);
}

void Compiler::for_loop(const Statement& of) {
  if (of.first) statement(*of.first);
  JumpLabel first, next, end;
  bind(first);
  if (of.value) branch(*of.value, false, end);
  loops_.push_back({&next, &end, linearize_depth_});
  statement(*of.body[0]);
  loops_.pop_back();
  bind(next);
  if (of.next) statement(*of.next);
  emit_jump(Op::kJump, 0, 0, 0, first);
  bind(end);
}

void Compiler::leave_loop(bool go_on) {
  const LoopContext& loop = loops_.back();
  if (linearize_depth_ > loop.linearize_depth) mark();
  emit_jump(Op::kJump, 0, 0, 0, go_on ? *loop.next : *loop.end);
}

void Compiler::return_statement(const Statement& of) {
  const FunctionContext context = functions_.back();
  if (context.result != nullptr && context.result->is_number()) {
    const Operand made =
        fit(value(*of.value), *context.result, joined(of.span, of.value->span));
    move_to(context.result_register, made);
  } else if (context.result != nullptr) {
    PlaceCode to;
    to.base = PlaceCode::Base::kLocal;
    to.block = context.result_block;
    to.shape = context.result;
    copy(to, place(*of.value));
  }
  if (linearize_depth_ > context.linearize_depth) mark();
  if (context.operation && returns_++ == 0) return_text_ = of.head;
  emit_jump(Op::kJump, 0, 0, 0, *context.end);
}

void Compiler::atomic(const Statement& of) {
  if (atomic_ == 0) step(StepKind::kAccess, kNoRegister, of.head);
  ++atomic_;
  for (const StatementPtr& part : of.body) statement(*part);
  --atomic_;
}

void Compiler::await(const Statement& of) {
  if (atomic_ == 0) step(StepKind::kAccess, kNoRegister, of.value->span);
  ++atomic_;
  const Operand holds = value(*of.value);
  --atomic_;
  emit(Op::kAwait, holds.reg);
}

void Compiler::choose(const Statement& of) {
  if (atomic_ == 0) step(StepKind::kChoose, kNoRegister, of.head);
  const auto branches = static_cast<std::int32_t>(of.body.size());
  const Register chosen = fresh(nullptr);
  emit(Op::kChoose, chosen, 0, 0, branches);
  JumpLabel end;
  for (std::int32_t i = 0; i < branches; ++i) {
    JumpLabel next;
    if (i + 1 < branches) {
      emit_jump(Op::kJumpUnequal, 0, chosen, constant(i), next);
    }
    statement(*of.body[static_cast<std::size_t>(i)]);
    emit_jump(Op::kJump, 0, 0, 0, end);
    bind(next);
  }
  bind(end);
}

void Compiler::delete_cell(const Statement& of) {
  const Operand cell = value(*of.value);
  if (atomic_ == 0) step(StepKind::kAccess, kNoRegister, of.span);
  const Struct* structure = of.value->type->structure;
  emit(Op::kDelete, cell.reg, 0, 0,
       structure == nullptr ? 0 : program_.layouts->index_of(*structure));
}

void Compiler::mark() {
  program_.has_marks = true;
  emit(Op::kMark);
}

// The mark is passed after the access that it speaks of and before the next
// one, so it belongs to that step.
void Compiler::linearize(const Statement& of) {
  if (of.body.empty()) {
    mark();
    return;
  }
  const Statement& inner = *of.body[0];
  if (inner.kind == StatementKind::kIf) {
    const Span outer = std::exchange(statement_, inner.head);
    if_else(inner, true);
    statement_ = outer;
    return;
  }
  ++linearize_depth_;
  statement(inner);
  --linearize_depth_;
  mark();
}

}  // namespace plumb::lang
