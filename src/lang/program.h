// SPDX-License-Identifier: Apache-2.0
// A compiled object: code, places where processes rest, layout of its states.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/bytecode.h"
#include "lang/layout.h"
#include "text/source.h"

namespace plumb::lang {

// A register, as far as it has to be kept between two steps.
struct RegisterInfo {
  const Shape* shape = nullptr;  // null: an address, never kept
  std::string name;              // of the local variable; "" if it has none
};

// An array or container of an operation's own, in the local memory.
struct LocalBlock {
  std::int32_t address = 0;  // negative
  const Shape* shape = nullptr;
  std::string name;
  std::vector<std::uint8_t> initial;
};

// A number that is kept in a frame.
struct FrameNumber {
  Register reg = 0;
  std::uint16_t offset = 0;  // from the beginning of the frame
  const Shape* shape = nullptr;
};
struct FrameBlock {
  std::uint16_t block = 0;
  std::uint16_t offset = 0;
};

// What a person is told of the access that follows a place.
struct AccessText {
  Span statement;  // its head
  Span access;     // the expression
};

// A place where a process rests between two steps; number 0 is "idle".
// Registers that are not live there are not kept, so that they split no
// states.
struct Rest {
  StepKind kind = StepKind::kAccess;
  std::uint16_t operation = 0;
  std::uint32_t at = 0;  // the next instruction
  AccessText text;
  std::vector<FrameNumber> numbers;
  std::vector<FrameBlock> blocks;
  std::vector<ReferenceSlot> references;  // offsets in the frame
  std::uint32_t frame_size = 0;           // in use
};

struct Parameter {
  std::string name;
  const Shape* shape = nullptr;
  Register reg = kNoRegister;
  std::int32_t low = 0, high = 0;  // what clients pass
};

struct OperationCode {
  std::string name;
  Span span;
  std::uint32_t entry = 0;
  std::vector<Parameter> parameters;
  const Shape* result = nullptr;           // null: void
  Register result_register = kNoRegister;  // if it is a number
  std::uint16_t result_block = 0;          // else
  std::uint16_t return_rest = 0;
};

// For people: what it means when a jump is taken.
struct Condition {
  enum class Kind : std::uint8_t { kNone, kText, kCas };
  Kind kind = Kind::kNone;
  bool if_taken = false;  // the condition holds when the jump is taken
  Span text;
};

struct Program {
  std::shared_ptr<const Source> source;
  std::unique_ptr<Layouts> layouts;
  std::size_t processes = 1;
  Memory memory = Memory::kCollected;

  std::vector<Instruction> code;
  std::vector<Span> spans;            // for each instruction: what it is of
  std::vector<Condition> conditions;  // for each instruction
  // For each instruction: what the number that it defines is one of, if that
  // follows from the instruction alone; else null.
  std::vector<const Shape*> defines;
  std::vector<AccessText> texts;  // for each Step while it has no Rest
  // Instructions that touch only a cell that nobody else knows yet.
  std::vector<bool> is_private;

  std::vector<RegisterInfo> registers;
  // Registers from `first_constant` hold constants, the last one `self`.
  std::vector<std::int32_t> constants;
  Register first_constant = 0, self = 0;
  std::vector<LocalBlock> blocks;
  std::uint32_t local_size = 0;  // bytes of local memory

  // Entry and exits.
  std::uint32_t init = 0;  // gives the shared variables their first values
  std::vector<OperationCode> operations;
  std::vector<Rest> rests;
  bool has_marks = false;

  // The bytes of a state: variables, client, frames, cells.  Addresses of
  // the code count from its beginning; the local memory lies in front of it.
  std::vector<VariableLayout> variables;  // offsets in the state
  std::vector<ReferenceSlot> references;  // in the variables
  std::uint32_t client = 0;               // offset of the client's part
  std::uint32_t frames = 0;               // offset of the first frame
  std::uint32_t frame_size = 0;
  std::uint32_t heap = 0;  // offset of the first cell
  std::uint32_t cell_size = 0;
  std::uint32_t most_cells = 0;
  std::uint32_t cells_bound = 0;  // index of the bound
  std::uint16_t int_bound = 0;    // likewise

  bool has_heap() const { return cell_size != 0; }
  bool frees() const { return memory != Memory::kCollected; }
  bool wide_pc() const { return rests.size() > 256; }
};

}  // namespace plumb::lang
