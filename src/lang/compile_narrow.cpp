// SPDX-License-Identifier: Apache-2.0
// Which numbers a register can hold.
#include <algorithm>

#include "lang/liveness.h"

namespace plumb::lang {
namespace {

// Growing sets of numbers, one for each register, whatever the place in the
// code.  One that goes on growing becomes all that its type allows.
class Narrowing {
 public:
  explicit Narrowing(Program& program)
      : program_(program), known_(program.registers.size()) {
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
      const std::int32_t number = program.constants[i];
      Known& known = known_[program.first_constant + i];
      if (number == kEmptyNumber) {
        known.empty = true;
      } else {
        known = {true, number, number, false, 0};
      }
    }
    known_[program.self] = {
        true, 0, static_cast<std::int32_t>(program.processes) - 1, false, 0};
    for (const OperationCode& operation : program.operations) {
      for (const Parameter& parameter : operation.parameters) {
        add(parameter.reg, {parameter.low, parameter.high, false}, true);
      }
    }
  }

  void run() {
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (std::size_t i = 0; i < program_.code.size(); ++i) pass(i);
    }
    for (std::size_t r = 0; r < program_.first_constant; ++r) {
      RegisterInfo& info = program_.registers[r];
      const Known& known = known_[r];
      if (info.shape == nullptr || info.shape->kind != ShapeKind::kInt) {
        continue;
      }
      const Shape* narrow =
          program_.layouts->number(Range{known.low, known.high, known.empty});
      if (narrow->size < info.shape->size) info.shape = narrow;
    }
  }

 private:
  struct Known {
    bool any = false;  // some number; then from low to high
    std::int32_t low = 0, high = 0;
    bool empty = false;
    int grown = 0;
  };
  static constexpr int kMostGrowth = 8;

  void pass(std::size_t i) {
    const Instruction& instruction = program_.code[i];
    if (operand_use(instruction.op).a != 'd') return;
    const Shape* shape = program_.registers[instruction.a].shape;
    if (shape == nullptr || shape->kind != ShapeKind::kInt) return;
    if (program_.defines[i] != nullptr) {
      add(instruction.a, program_.defines[i]->range, true);
      return;
    }
    const Known b = look(instruction.b);
    const Known c = look(instruction.c);
    const Range x{b.low, b.high, false};
    const Range y{c.low, c.high, false};
    switch (instruction.op) {
      case Op::kMove:
        add(instruction.a, {b.low, b.high, b.empty}, b.any);
        break;
      case Op::kAdd:
        add(instruction.a, result_range(Operator::kAdd, x, y), b.any && c.any);
        break;
      case Op::kSubtract:
        add(instruction.a, result_range(Operator::kSubtract, x, y),
            b.any && c.any);
        break;
      case Op::kMin:
        add(instruction.a,
            {std::min(x.low, y.low), std::min(x.high, y.high), false},
            b.any && c.any);
        break;
      case Op::kMax:
        add(instruction.a,
            {std::max(x.low, y.low), std::max(x.high, y.high), false},
            b.any && c.any);
        break;
      default:
        add(instruction.a, shape->range, true);
    }
  }

  // Only registers of type int are followed.
  Known look(Register reg) const {
    if (reg >= program_.registers.size()) return {};
    if (reg >= program_.first_constant) return known_[reg];
    const Shape* shape = program_.registers[reg].shape;
    if (shape == nullptr) return {true, -INT32_MAX, INT32_MAX, true, 0};
    if (shape->kind == ShapeKind::kInt) return known_[reg];
    return {true, shape->range.low, shape->range.high, false, 0};
  }

  void add(Register reg, Range range, bool any) {
    Known& known = known_[reg];
    // What does not fit the type never gets here: that is a fault.
    const Range& all = program_.registers[reg].shape->range;
    range.low = std::clamp(range.low, all.low, all.high);
    range.high = std::clamp(range.high, all.low, all.high);
    Known next = known;
    next.empty |= range.empty && all.empty;
    if (any) {
      next.low = known.any ? std::min(known.low, range.low) : range.low;
      next.high = known.any ? std::max(known.high, range.high) : range.high;
      next.any = true;
    }
    if (next.any == known.any && next.low == known.low &&
        next.high == known.high && next.empty == known.empty) {
      return;
    }
    if (++next.grown > kMostGrowth) {
      next.low = all.low;
      next.high = all.high;
    }
    known = next;
    changed_ = true;
  }

  Program& program_;
  std::vector<Known> known_;
  bool changed_ = false;
};

}  // namespace

void narrow_registers(Program& program) {
  Narrowing(program).run();
}

}  // namespace plumb::lang
