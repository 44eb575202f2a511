// SPDX-License-Identifier: Apache-2.0
#include "lang/liveness.h"

#include <algorithm>

namespace plumb::lang {

OperandUse operand_use(Op op) {
  static constexpr char d = 'd', u = 'u', _ = '_';
  static constexpr OperandUse kUses[] = {
#define PLUMB_OP(name, a, b, c) {a, b, c},
      PLUMB_OPS(PLUMB_OP)
#undef PLUMB_OP
  };
  return kUses[static_cast<std::size_t>(op)];
}

bool BitSet::add(const BitSet& other) {
  std::uint64_t fresh = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    fresh |= other.words_[i] & ~words_[i];
    words_[i] |= other.words_[i];
  }
  return fresh != 0;
}

Targets targets_of(const Program& program, std::uint32_t at) {
  const Instruction& instruction = program.code[at];
  Targets targets{};
  const auto add = [&](std::uint32_t place) {
    targets.places[targets.count++] = place;
  };
  if (instruction.op == Op::kReturn || instruction.op == Op::kFail) {
    return targets;
  }
  if (instruction.op != Op::kJump) add(at + 1);
  if (is_jump(instruction.op)) {
    add(static_cast<std::uint32_t>(instruction.imm));
  }
  return targets;
}

namespace {

// Backward over one instruction: what is live before it.
void before(const Program& program, const Instruction& instruction,
            BitSet& live) {
  const OperandUse use = operand_use(instruction.op);
  if (use.a == 'd') live.reset(instruction.a);
  if (use.a == 'u' && instruction.a != kNoRegister) live.set(instruction.a);
  if (use.b == 'u') live.set(instruction.b);
  if (use.c == 'u') live.set(instruction.c);
  if (instruction.op == Op::kAddress && instruction.b != 0) {
    const std::size_t block = program.registers.size() + instruction.b - 1;
    // Written as a whole, or looked at.
    if (instruction.c != 0) {
      live.reset(block);
    } else {
      live.set(block);
    }
  }
  if (instruction.op == Op::kDefault) {
    live.reset(program.registers.size() +
               static_cast<std::size_t>(instruction.imm));
  }
  if (instruction.op == Op::kReturn && instruction.b != 0) {
    live.set(program.registers.size() + instruction.b - 1);
  }
}

}  // namespace

std::vector<BitSet> find_live(const Program& program) {
  const std::size_t size = program.code.size();
  const std::size_t width = program.registers.size() + program.blocks.size();
  std::vector<BitSet> live(size, BitSet(width));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = size; i-- > 0;) {
      const auto at = static_cast<std::uint32_t>(i);
      BitSet set(width);
      const Targets targets = targets_of(program, at);
      for (int t = 0; t < targets.count; ++t) set.add(live[targets.places[t]]);
      before(program, program.code[i], set);
      changed |= live[i].add(set);
    }
  }
  return live;
}

namespace {

// What is kept of registers between two steps, in the order of their
// numbers.  Constants and `self` are the same everywhere.
void lay_out(const Program& program, const BitSet& live, Rest& rest) {
  std::uint32_t offset = program.wide_pc() ? 2 : 1;
  for (std::size_t r = 0; r < program.first_constant; ++r) {
    if (!live.test(r)) continue;
    const Shape* shape = program.registers[r].shape;
    const auto place = static_cast<std::uint16_t>(offset);
    rest.numbers.push_back({static_cast<Register>(r), place, shape});
    find_references(*shape, offset, rest.references);
    offset += shape->size;
  }
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    if (!live.test(program.registers.size() + b)) continue;
    const auto place = static_cast<std::uint16_t>(offset);
    rest.blocks.push_back({static_cast<std::uint16_t>(b), place});
    find_references(*program.blocks[b].shape, offset, rest.references);
    offset += program.blocks[b].shape->size;
  }
  rest.frame_size = offset;
}

}  // namespace

void lay_out_frames(Program& program) {
  program.rests.assign(1, Rest{});  // idle
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    Instruction& instruction = program.code[i];
    if (instruction.op != Op::kStep) continue;
    Rest rest;
    rest.kind = static_cast<StepKind>(instruction.a);
    rest.operation = instruction.c;
    rest.at = static_cast<std::uint32_t>(i) + 1;
    rest.text = program.texts[static_cast<std::size_t>(instruction.imm)];
    instruction.imm = static_cast<std::int32_t>(program.rests.size());
    if (rest.kind == StepKind::kReturn) {
      program.operations[rest.operation].return_rest =
          static_cast<std::uint16_t>(program.rests.size());
    }
    program.rests.push_back(std::move(rest));
  }
  program.frame_size = program.wide_pc() ? 2 : 1;
  const std::vector<BitSet> live = find_live(program);
  for (std::size_t i = 1; i < program.rests.size(); ++i) {
    Rest& rest = program.rests[i];
    lay_out(program, live[rest.at], rest);
    program.frame_size = std::max(program.frame_size, rest.frame_size);
  }
}

}  // namespace plumb::lang
