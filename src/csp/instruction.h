// SPDX-License-Identifier: Apache-2.0
// The flat form of expressions and blocks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "csp/ast.h"
#include "csp/channels.h"
#include "csp/datum.h"
#include "csp/fault.h"
#include "csp/library.h"

namespace plumb::csp {

// A tree still, but its nodes lie next to each other and name what they need
// by number: a, b and c, in the order of the comments.
enum class Opcode : std::uint8_t {
  // Leaves.
  kInteger,   // the number in `number`
  kBoolean,   // likewise
  kConstant,  // constant a
  kScalar,    // slot a, of variable b, which is no array
  kWhole,     // variable a, an array
  kBound,     // bound slot a
  kLocal,     // local slot a
  // Elements.
  kElement,  // of variable a; index b
  kTable,    // of variable a; list b of c indices, one for each dimension
  kItem,     // of the value of a; index b
  kRecord,   // list b of c items
  // Operators; a, b: operands.
  kOr,
  kAnd,
  kXor,
  kBitAnd,
  kBitOr,
  kBitXor,
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
  kNot,
  kIndexed,  // operator `number`, body a, list b of c numbers: for each index
             // its slot, how many values (kAbsent: two bounds), these
  // Writes.
  kAssign,  // place a, value b
  kStep,    // place a, by `number`
  // Calls.
  kStatic,     // function a; list b of c arguments
  kChannel,    // function a of channel b; index c, or kAbsent
  kMethod,     // method table a; list b of c: receiver, then arguments
  kField,      // field table a; receiver b
  kNew,        // class a; list b of c arguments
  kProcesses,  // process a
  // Statements.
  kBlock,    // list b of c statements; its value: that of the last one
  kDeclare,  // local slot a, value b
  kIf,       // condition a, then b, else c or kAbsent
  kWhile,    // condition a, body b
  kFail,     // always a fault of kind kType; reason a says why
};

inline constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

struct Instruction {
  Opcode opcode = Opcode::kInteger;
  std::int32_t number = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  Span span;
};

// What a name means for an object of each class; null if it means nothing.
struct MethodTable {
  std::string name;
  std::array<const MethodInfo*, 6> of_class = {};
};
struct FieldTable {
  std::string name;
  std::array<const FieldInfo*, 6> of_class = {};
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<Datum> constants;
  std::vector<std::uint32_t> lists;
  std::vector<MethodTable> methods;
  std::vector<FieldTable> fields;
  std::vector<const StaticInfo*> functions;
  std::vector<std::string> reasons;  // of kFail
  std::uint32_t root = 0;
  std::uint32_t locals = 0;
  bool writes = false;
};

}  // namespace plumb::csp
