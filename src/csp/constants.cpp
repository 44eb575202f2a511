// SPDX-License-Identifier: Apache-2.0
#include "csp/constants.h"

#include <algorithm>
#include <limits>

#include "csp/library.h"

namespace plumb::csp {
namespace {

using Number = std::optional<std::int64_t>;

Number in_range(std::int64_t number) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (number < Limits::min() || number > Limits::max()) return std::nullopt;
  return number;
}

// As evaluate() has it: `/` cuts off, `%` is never negative for a positive
// divisor.
Number apply(Operator op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Operator::kOr:
      return a != 0 || b != 0;
    case Operator::kAnd:
      return a != 0 && b != 0;
    case Operator::kXor:
      return (a != 0) != (b != 0);
    case Operator::kBitAnd:
      return a & b;
    case Operator::kBitOr:
      return a | b;
    case Operator::kBitXor:
      return a ^ b;
    case Operator::kEqual:
      return a == b;
    case Operator::kUnequal:
      return a != b;
    case Operator::kLess:
      return a < b;
    case Operator::kLessEqual:
      return a <= b;
    case Operator::kGreater:
      return a > b;
    case Operator::kGreaterEqual:
      return a >= b;
    case Operator::kAdd:
      return in_range(a + b);
    case Operator::kSubtract:
      return in_range(a - b);
    case Operator::kMultiply:
      return in_range(a * b);
    case Operator::kDivide:
      return b == 0 ? std::nullopt : in_range(a / b);
    case Operator::kModulo: {
      if (b == 0) return std::nullopt;
      const std::int64_t rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case Operator::kNegate:
    case Operator::kNot:
      break;
  }
  return std::nullopt;
}

}  // namespace

Number constant_of(const Expression& expression) {
  switch (expression.kind) {
    case ExprKind::kInteger:
    case ExprKind::kBoolean:
      return expression.number;
    case ExprKind::kUnary: {
      const Number value = constant_of(*expression.children[0]);
      if (!value) return std::nullopt;
      return expression.op == Operator::kNot ? Number(*value == 0)
                                             : in_range(-*value);
    }
    case ExprKind::kBinary: {
      const Number left = constant_of(*expression.children[0]);
      if (!left) return std::nullopt;
      const Number right = constant_of(*expression.children[1]);
      if (!right) return std::nullopt;
      return apply(expression.op, *left, *right);
    }
    default:
      return std::nullopt;
  }
}

bool changes(const Expression& expression) {
  switch (expression.kind) {
    case ExprKind::kAssign:
    case ExprKind::kStep:
    case ExprKind::kBlock:
      return true;
    case ExprKind::kMethod:
      for (const ClassInfo& type : classes()) {
        const MethodInfo* method = find_method(type, expression.name);
        if (method != nullptr && method->changes) return true;
      }
      break;
    default:
      break;
  }
  return std::any_of(expression.children.begin(), expression.children.end(),
                     [](const ExprPtr& child) { return changes(*child); });
}

}  // namespace plumb::csp
