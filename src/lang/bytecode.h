// SPDX-License-Identifier: Apache-2.0
// The instructions that models are compiled to.
#pragma once

#include <cstdint>

namespace plumb::lang {

// Registers hold 32-bit numbers: integers, 0 and 1, the index of an enum's
// member, of a process (-1: nobody), the number of a cell (0: null), or an
// address.  Constants are registers that nothing writes to.
using Register = std::uint16_t;
inline constexpr Register kNoRegister = 0xFFFF;

// `empty` in a register.
inline constexpr std::int32_t kEmptyNumber = INT32_MIN;

// X(name, a, b, c): how the three registers are used: `d` defined, `u` used,
// `_` neither (unused, or it is a plain number).
#define PLUMB_OPS(X)                                               \
  X(Move, d, u, _)                                                 \
  X(Add, d, u, u)                                                  \
  X(Subtract, d, u, u)                                             \
  X(Multiply, d, u, u)                                             \
  X(Divide, d, u, u)                                               \
  X(Remainder, d, u, u)                                            \
  X(Min, d, u, u)                                                  \
  X(Max, d, u, u)                                                  \
  X(Not, d, u, _)                                                  \
  X(Equal, d, u, u)                                                \
  X(Unequal, d, u, u)                                              \
  X(Less, d, u, u)                                                 \
  X(LessEqual, d, u, u)                                            \
  /* Jumps: to `imm`; the comparisons take b and c. */             \
  X(Jump, _, _, _)                                                 \
  X(JumpIf, u, _, _)                                               \
  X(JumpUnless, u, _, _)                                           \
  X(JumpEqual, _, u, u)                                            \
  X(JumpUnequal, _, u, u)                                          \
  X(JumpLess, _, u, u)                                             \
  X(JumpLessEqual, _, u, u)                                        \
  /* Faults unless b <= a <= c (or `empty`, if imm); unless a is a \
     number. */                                                    \
  X(CheckRange, u, u, u)                                           \
  X(CheckNumber, u, _, _)                                          \
  /* Memory at address `imm`; c is the bias of a byte. */          \
  X(LoadByte, d, _, _)                                             \
  X(LoadShort, d, _, _)                                            \
  X(LoadWord, d, _, _)                                             \
  X(StoreByte, u, _, _)                                            \
  X(StoreShort, u, _, _)                                           \
  X(StoreWord, u, _, _)                                            \
  X(StoreReference, u, _, _)                                       \
  /* Memory at the address in b, plus `imm`. */                    \
  X(LoadByteAt, d, u, _)                                           \
  X(LoadShortAt, d, u, _)                                          \
  X(LoadWordAt, d, u, _)                                           \
  X(StoreByteAt, u, u, _)                                          \
  X(StoreShortAt, u, u, _)                                         \
  X(StoreWordAt, u, u, _)                                          \
  X(StoreReferenceAt, u, u, _)                                     \
  /* Byte `imm` of the cell in b. */                               \
  X(LoadByteField, d, u, _)                                        \
  X(LoadShortField, d, u, _)                                       \
  X(LoadWordField, d, u, _)                                        \
  X(StoreByteField, u, u, _)                                       \
  X(StoreShortField, u, u, _)                                      \
  X(StoreWordField, u, u, _)                                       \
  X(StoreReferenceField, u, u, _)                                  \
  /* Addresses: `imm` (b: 1 + a local block, c: all of it is about \
     to be written); of a cell; of an element, imm = stride and    \
     count. */                                                     \
  X(Address, d, _, _)                                              \
  X(Field, d, u, _)                                                \
  X(Index, d, u, u)                                                \
  /* Containers: b is the address, `imm` indexes containers. */    \
  X(Len, d, u, _)                                                  \
  X(Contains, d, u, u)                                             \
  X(PushBack, _, u, u)                                             \
  X(PushFront, _, u, u)                                            \
  X(PopBack, d, u, _)                                              \
  X(PopFront, d, u, _)                                             \
  X(Front, d, u, _)                                                \
  X(Back, d, u, _)                                                 \
  X(At, d, u, u)                                                   \
  X(SetAt, u, u, u)                                                \
  X(RemoveAt, d, u, u)                                             \
  X(InsertAt, u, u, u)                                             \
  X(Insert, d, u, u)                                               \
  X(Remove, d, u, u)                                               \
  X(Smallest, d, u, _)                                             \
  X(AnyOf, d, u, _)                                                \
  X(Clear, _, u, _)                                                \
  X(MapGet, d, u, u)                                               \
  X(MapSet, u, u, u)                                               \
  /* `imm` bytes from address b to address a (c: with references); \
     are those at b and at c the same? */                          \
  X(Copy, u, u, _)                                                 \
  X(Same, d, u, u)                                                 \
  /* Local block `imm` gets its default value. */                  \
  X(Default, _, _, _)                                              \
  /* `imm` is the struct. */                                       \
  X(New, d, _, _)                                                  \
  X(Delete, u, _, _)                                               \
  /* Any of 0 .. imm - 1; any of b .. c. */                        \
  X(Choose, d, _, _)                                               \
  X(Any, d, u, u)                                                  \
  X(Await, u, _, _)                                                \
  X(Assert, u, _, _)                                               \
  X(Fail, _, _, _)                                                 \
  /* A process may rest here: a is a StepKind, b the cell that is  \
     accessed or kNoRegister, `imm` the number of the place. */    \
  X(Step, _, _, _)                                                 \
  X(Mark, _, _, _)                                                 \
  X(Succeeded, _, _, _)                                            \
  X(Nothing, _, _, _)                                              \
  /* Ends a program; a is the result or kNoRegister, b 1 + a block \
     with the result, or 0. */                                     \
  X(Return, u, _, _)

enum class Op : std::uint8_t {
#define PLUMB_OP(name, a, b, c) k##name,
  PLUMB_OPS(PLUMB_OP)
#undef PLUMB_OP
};

enum class StepKind : std::uint16_t {
  kAccess,  // then an access, or something atomic
  kChoose,  // then a choice, which goes together with the first access
  kReturn,
};

struct Instruction {
  Op op = Op::kNothing;
  Register a = 0, b = 0, c = 0;
  std::int32_t imm = 0;
};

// How an operation uses its registers: 'd', 'u' or '_'.
struct OperandUse {
  char a, b, c;
};
OperandUse operand_use(Op op);

inline bool is_jump(Op op) {
  return op >= Op::kJump && op <= Op::kJumpLessEqual;
}

enum class FaultKind : std::uint8_t {
  kAssertion,
  kNull,
  kIndex,
  kRange,
  kNotANumber,
  kDivision,
  kEmptyContainer,
  kMissingKey,
  kEndless,
  kFreed,
  kDeletedTwice,
  kNoResult,
};

}  // namespace plumb::lang
