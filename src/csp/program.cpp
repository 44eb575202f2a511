// SPDX-License-Identifier: Apache-2.0
// What is known of a program before it runs.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "csp/evaluate.h"
#include "csp/instruction.h"

namespace plumb::csp {

namespace {

using enum FaultKind;

constexpr FaultKind kTypes[] = {kType};
constexpr FaultKind kElements[] = {kIndex, kType};
constexpr FaultKind kWrites[] = {kIndex, kRange, kType};
constexpr FaultKind kDivisions[] = {kDivision, kOverflow};
constexpr FaultKind kLoops[] = {kLoop, kType};
constexpr FaultKind kCalls[] = {kIndex, kDivision, kOverflow, kType,
                                kEmpty, kKey,      kMemory,   kArgument};

// How an instruction itself can go wrong, its operands left aside.
std::span<const FaultKind> faults_of(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::kElement:
    case Opcode::kTable:
    case Opcode::kItem:
    case Opcode::kField:
      return kElements;
    case Opcode::kAssign:
    case Opcode::kStep:
      return kWrites;
    case Opcode::kDivide:
    case Opcode::kModulo:
      return kDivisions;
    case Opcode::kWhile:
    case Opcode::kIndexed:
      return kLoops;
    case Opcode::kStatic:
    case Opcode::kChannel:
    case Opcode::kMethod:
    case Opcode::kNew:
      return kCalls;
    case Opcode::kInteger:
    case Opcode::kBoolean:
    case Opcode::kOr:
    case Opcode::kAnd:
    case Opcode::kXor:
    case Opcode::kEqual:
    case Opcode::kUnequal:
    case Opcode::kLess:
    case Opcode::kLessEqual:
    case Opcode::kGreater:
    case Opcode::kGreaterEqual:
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
      return {};
    default:
      return kTypes;
  }
}

}  // namespace

Program::Program() {
  static const auto zero = [] {
    auto code = std::make_shared<Code>();
    code->instructions.emplace_back();
    return std::shared_ptr<const Code>(code);
  }();
  code_ = zero;
}

bool Program::writes() const {
  return code_->writes;
}

bool Program::is_constant() const {
  const Opcode opcode = code_->instructions[code_->root].opcode;
  return opcode == Opcode::kInteger || opcode == Opcode::kBoolean ||
         opcode == Opcode::kConstant;
}

std::vector<FaultSite> Program::fault_sites() const {
  std::vector<FaultSite> result;
  for (const Instruction& in : code_->instructions) {
    for (const FaultKind kind : faults_of(in)) {
      const FaultSite site{kind, in.span};
      if (std::find(result.begin(), result.end(), site) == result.end()) {
        result.push_back(site);
      }
    }
  }
  return result;
}

}  // namespace plumb::csp
