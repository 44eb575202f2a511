// SPDX-License-Identifier: Apache-2.0
#include "lang/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "base/invariant.h"
#include "lang/liveness.h"

namespace plumb::lang {
namespace {

constexpr std::uint32_t kLargestState = 60'000;
constexpr std::size_t kMostRests = 32'000;
constexpr std::int64_t kMostCells = 250;
constexpr std::uint32_t kDefaultCells = 64;
constexpr std::size_t kMostRegisters = 20'000;
constexpr std::size_t kMostInstructions = 50'000;

}  // namespace

Compiler::Compiler(std::shared_ptr<const Source> source, const Object& object,
                   const Surroundings& around)
    : source_(std::move(source)), object_(object), around_(around) {
  program_.source = source_;
  program_.layouts = std::make_unique<Layouts>(*source_, around_.constants);
  program_.processes = static_cast<std::size_t>(around_.constants.processes);
  program_.memory = object.memory;
}

void Compiler::fail(Span span, std::string what, std::string hint) {
  throw InputError(source_->place(span), std::move(what), std::move(hint));
}

void Compiler::fail_not_in_models(Span span) {
  fail(span, "models have no texts and no lists within values",
       "such a specification is for 'plumb history' and 'plumb test'");
}

void Compiler::fail_too_large() {
  fail(object_.span, fmt::format("'{}' is too large", object_.name),
       "functions are copied to where they are called; call them less often");
}

std::size_t Compiler::emit(Op op, Register a, Register b, Register c,
                           std::int32_t imm) {
  if (program_.code.size() >= kMostInstructions) fail_too_large();
  program_.code.push_back({op, a, b, c, imm});
  program_.spans.push_back(span_);
  program_.conditions.emplace_back();
  program_.defines.push_back(nullptr);
  return program_.code.size() - 1;
}

std::size_t Compiler::emit_jump(Op op, Register a, Register b, Register c,
                                JumpLabel& label) {
  const std::size_t jump =
      emit(op, a, b, c, static_cast<std::int32_t>(label.at));
  if (label.at < 0) label.uses.push_back(jump);
  return jump;
}

void Compiler::bind(JumpLabel& label) {
  label.at = static_cast<std::int64_t>(program_.code.size());
  for (const std::size_t use : label.uses) {
    program_.code[use].imm = static_cast<std::int32_t>(label.at);
  }
  barrier_ = program_.code.size();
}

void Compiler::step(StepKind kind, Register cell, Span access) {
  program_.texts.push_back({statement_, access});
  emit(Op::kStep, static_cast<Register>(kind), cell, operation_,
       static_cast<std::int32_t>(program_.texts.size() - 1));
  barrier_ = program_.code.size();
}

Register Compiler::fresh(const Shape* shape, const std::string& name) {
  if (program_.registers.size() >= kMostRegisters) fail_too_large();
  program_.registers.push_back({shape, name});
  return static_cast<Register>(program_.registers.size() - 1);
}

Register Compiler::constant(std::int32_t number) {
  const auto next =
      static_cast<Register>(program_.constants.size() | kConstantBit);
  const auto [entry, is_new] = constants_.try_emplace(number, next);
  if (is_new) program_.constants.push_back(number);
  return entry->second;
}

std::uint16_t Compiler::local_block(const Shape* shape,
                                    const std::string& name) {
  LocalBlock block;
  program_.local_size += shape->size;
  block.address = -static_cast<std::int32_t>(program_.local_size);
  block.shape = shape;
  block.name = name;
  block.initial.resize(shape->size);
  store_default(*shape, block.initial.data());
  program_.blocks.push_back(std::move(block));
  return static_cast<std::uint16_t>(program_.blocks.size() - 1);
}

const Shape* Compiler::shape_of(const Variable& variable) {
  const Shape*& shape = shapes_[&variable];
  if (shape == nullptr) {
    shape =
        program_.layouts->shape(*variable.type, variable.name, variable.span);
  }
  return shape;
}

const Shape* Compiler::shape_of(const Function& function) {
  if (function.result == nullptr || function.result->kind == TypeKind::kVoid) {
    return nullptr;
  }
  const Shape*& shape = results_[&function];
  if (shape == nullptr) {
    shape =
        program_.layouts->shape(*function.result, function.name, function.span);
  }
  return shape;
}

void Compiler::lay_out_variables() {
  Layouts& layouts = *program_.layouts;
  if (!object_.structs.empty()) {
    const std::int64_t cells = around_.cells.value_or(kDefaultCells);
    if (cells <= 0 || cells > kMostCells) {
      fail(object_.span, fmt::format("{} cells are not possible", cells),
           fmt::format("'cells' takes 1 to {}", kMostCells));
    }
    program_.most_cells = static_cast<std::uint32_t>(cells);
    layouts.bounds.push_back(
        {fmt::format("{} {}", cells, cells == 1 ? "cell" : "cells"),
         around_.cells.has_value(),
         fmt::format("add 'cells {}' to the check", 2 * cells)});
    layouts.add_structs(object_, program_.frees() ? 1 : 0);
    program_.cell_size = std::max(layouts.cell_size, 1u);
  }
  program_.int_bound = static_cast<std::uint16_t>(layouts.bounds.size());
  layouts.bounds.push_back({"32,767 for an int", false, ""});
  std::uint32_t offset = 0;
  for (const auto& variable : object_.variables) {
    const Shape* shape = shape_of(*variable);
    program_.variables.push_back({variable->name, offset, shape});
    find_references(*shape, offset, program_.references);
    shared_[variable.get()] = offset;
    offset += shape->size;
  }
  program_.client = offset;
  program_.frames = offset + around_.client_bytes;
}

void Compiler::compile_init() {
  program_.init = static_cast<std::uint32_t>(program_.code.size());
  ++atomic_;
  for (const auto& variable : object_.variables) {
    if (!variable->initial) continue;
    statement_ = variable->span;
    span_ = variable->initial->span;
    PlaceCode target;
    target.base = PlaceCode::Base::kFixed;
    target.offset = shared_.at(variable.get());
    target.shape = shape_of(*variable);
    target.span = variable->span;
    if (is_aggregate(*variable->initial)) {
      copy(target, place(*variable->initial));
      continue;
    }
    const Operand initial = value(*variable->initial);
    store(address(target),
          fit(initial, *target.shape, variable->initial->span));
  }
  if (object_.init) statement(*object_.init);
  --atomic_;
  emit(Op::kReturn, kNoRegister);
}

Parameter Compiler::parameter_of(const Variable& variable) {
  Parameter parameter;
  parameter.name = variable.name;
  parameter.shape = shape_of(variable);
  if (!parameter.shape->is_number() ||
      parameter.shape->kind == ShapeKind::kReference) {
    fail(variable.span,
         fmt::format("'{}' cannot be an argument of an operation",
                     variable.name),
         "clients pass integers, booleans, enum members and processes");
  }
  Range range = parameter.shape->range;
  const bool plain =
      variable.type->kind == TypeKind::kInt && variable.type->low == nullptr;
  if (plain && !object_.is_specification) {
    if (!around_.values) {
      fail(variable.span,
           fmt::format("which values does '{}' take?", variable.name),
           "add 'values 1..2' to the check, or give it a range: 'int 1..2'");
    }
    range = *around_.values;
    if (!parameter.shape->range.contains(range)) {
      fail(variable.span, fmt::format("the values {}..{} do not fit an int",
                                      range.low, range.high));
    }
  }
  if (variable.type->kind == TypeKind::kProcess) range.low = 0;
  parameter.low = range.low;
  parameter.high = range.high;
  parameter.reg = fresh(parameter.shape, variable.name);
  storage_[&variable] = {parameter.reg, 0, parameter.shape};
  return parameter;
}

void Compiler::compile_operation(const Function& function) {
  operation_ = static_cast<std::uint16_t>(program_.operations.size());
  OperationCode code;
  code.name = function.name;
  code.span = function.span;
  code.entry = static_cast<std::uint32_t>(program_.code.size());
  barrier_ = program_.code.size();
  code.result = shape_of(function);
  if (code.result != nullptr && code.result->is_container()) {
    fail_not_in_models(function.span);
  }
  for (const auto& variable : function.parameters) {
    code.parameters.push_back(parameter_of(*variable));
  }
  JumpLabel end;
  const FunctionContext context = make_result(code, end);
  program_.operations.push_back(code);
  functions_.push_back(context);
  returns_ = 0;
  return_text_ = function.span;
  atomic_ = object_.is_specification ? 1 : 0;
  statement(*function.body);
  span_ = function.span;
  if (code.result != nullptr) {
    emit(Op::kFail, 0, 0, 0, static_cast<std::int32_t>(FaultKind::kNoResult));
  }
  bind(end);
  functions_.pop_back();
  // All returns are one place: which of them it was no longer matters.
  if (returns_ > 1) return_text_ = function.span;
  statement_ = *return_text_;
  if (!object_.is_specification) {
    step(StepKind::kReturn, kNoRegister, *return_text_);
  }
  const bool in_block = code.result != nullptr && !code.result->is_number();
  emit(Op::kReturn, code.result_register,
       in_block ? static_cast<Register>(code.result_block + 1) : Register{0});
}

// Constants get the registers after all others, `self` the last one.
void Compiler::finish_constants() {
  const std::size_t first = program_.registers.size();
  program_.first_constant = static_cast<Register>(first);
  program_.self = static_cast<Register>(first + program_.constants.size());
  program_.registers.resize(first + program_.constants.size() + 1);
  const auto rename = [&](Register& reg) {
    if (reg == kNoRegister) return;
    if (reg == kSelf) {
      reg = program_.self;
    } else if ((reg & kConstantBit) != 0) {
      reg = static_cast<Register>(first + (reg ^ kConstantBit));
    }
  };
  for (Instruction& instruction : program_.code) {
    const OperandUse use = operand_use(instruction.op);
    if (use.a != '_') rename(instruction.a);
    if (use.b != '_' || instruction.op == Op::kStep) rename(instruction.b);
    if (use.c != '_') rename(instruction.c);
  }
}

// Says which lines may count without an end.
void Compiler::explain_int_bound() {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < program_.code.size(); ++i) {
    const Instruction& at = program_.code[i];
    if (at.op != Op::kCheckRange || at.imm == 0) continue;
    const std::size_t line = source_->line(program_.spans[i]);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
  program_.layouts->bounds[program_.int_bound].hint = fmt::format(
      "bound the operations ('4 operations', say), or count modulo some "
      "number on line{} {}",
      lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
}

void Compiler::lay_out_state() {
  if (program_.rests.size() > kMostRests) {
    fail(object_.span, fmt::format("'{}' has too many steps", object_.name));
  }
  const std::size_t frames = program_.frame_size * program_.processes;
  const std::size_t size = program_.frames + frames;
  if (size + program_.most_cells * program_.cell_size > kLargestState) {
    fail(object_.span,
         fmt::format("a state of '{}' takes {} bytes; at most {} are possible",
                     object_.name,
                     size + program_.most_cells * program_.cell_size,
                     kLargestState),
         "use smaller arrays and containers, fewer processes or cells");
  }
  program_.heap = static_cast<std::uint32_t>(size);
  PLUMB_CHECK(program_.client <= program_.frames);
}

Program Compiler::compile() {
  lay_out_variables();
  compile_init();
  for (const auto& function : object_.functions) {
    if (function->is_operation) compile_operation(*function);
  }
  finish_constants();
  explain_int_bound();
  program_.is_private.resize(program_.code.size());
  if (!program_.frees()) fold_private_accesses(program_);
  if (!object_.is_specification) {
    narrow_registers(program_);
    lay_out_frames(program_);
    lay_out_state();
  } else {
    program_.frame_size = 0;
    program_.heap = program_.frames;
  }
  return std::move(program_);
}

// Where `code` puts its result, and where a return goes.
Compiler::FunctionContext Compiler::make_result(OperationCode& code,
                                                JumpLabel& end) {
  FunctionContext context;
  context.result = code.result;
  context.end = &end;
  if (code.result != nullptr && code.result->is_number()) {
    context.result_register = fresh(code.result, "result");
  } else if (code.result != nullptr) {
    context.result_block = local_block(code.result, "result");
  }
  code.result_register = context.result_register;
  code.result_block = context.result_block;
  return context;
}

OperationCode Compiler::relation_code() {
  const Function& relation = *object_.relation;
  OperationCode code;
  code.name = relation.name;
  code.span = relation.span;
  code.entry = static_cast<std::uint32_t>(program_.code.size());
  code.result = shape_of(relation);
  if (object_.specification != nullptr) {
    for (const auto& variable : object_.specification->variables) {
      declare(*variable, variable->initial.get());
    }
  }
  JumpLabel end;
  const FunctionContext context = make_result(code, end);
  functions_.push_back(context);
  statement(*relation.body);
  span_ = relation.span;
  if (code.result != nullptr) {
    emit(Op::kFail, 0, 0, 0, static_cast<std::int32_t>(FaultKind::kNoResult));
  }
  bind(end);
  functions_.pop_back();
  emit(Op::kReturn, kNoRegister);
  return code;
}

// The variables lie where they do in the states of the object, and so do the
// cells; nothing is kept between steps, for there is one only.
RelationCode Compiler::compile_relation(const Program& whole) {
  RelationCode out;
  atomic_ = 1;
  lay_out_variables();
  program_.operations.push_back(relation_code());
  if (object_.specification != nullptr) {
    for (const auto& variable : object_.specification->variables) {
      const Storage& storage = storage_.at(variable.get());
      out.variables.push_back({storage.reg, storage.block, storage.shape});
    }
  }
  finish_constants();
  program_.is_private.resize(program_.code.size());
  program_.heap = whole.heap;
  out.program = std::move(program_);
  return out;
}

RelationCode compile_relation(const Object& object, const Surroundings& around,
                              const Program& whole) {
  return Compiler(whole.source, object, around).compile_relation(whole);
}

Program compile_object(std::shared_ptr<const Source> source,
                       const Object& object, const Surroundings& around) {
  return Compiler(std::move(source), object, around).compile();
}

}  // namespace plumb::lang
