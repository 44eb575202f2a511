// SPDX-License-Identifier: Apache-2.0
#include "lang/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace plumb::lang {
namespace {

class Evaluator {
 public:
  Evaluator(const ConstantValues& constants, const Source& source)
      : constants_(constants), source_(source) {}

  std::int64_t value(const Expression& e) const {
    switch (e.kind) {
      case ExpressionKind::kInteger:
      case ExpressionKind::kBoolean:
        return e.number;
      case ExpressionKind::kProcesses:
        return constants_.processes;
      case ExpressionKind::kName:
        return named(e);
      case ExpressionKind::kUnary:
        return unary(e);
      case ExpressionKind::kBinary:
        return binary(e);
      case ExpressionKind::kConditional:
        return operand(e, operand(e, 0) != 0 ? 1 : 2);
      case ExpressionKind::kBuiltin:
        if (e.builtin == Builtin::kMin) {
          return std::min(operand(e, 0), operand(e, 1));
        }
        if (e.builtin == Builtin::kMax) {
          return std::max(operand(e, 0), operand(e, 1));
        }
        [[fallthrough]];
      default:
        fail(e, "this is no constant expression");
    }
  }

 private:
  std::int64_t operand(const Expression& e, std::size_t i) const {
    return value(*e.operands[i]);
  }

  [[noreturn]] void fail(const Expression& e, std::string what,
                         std::string hint = "") const {
    throw InputError(source_.place(e.span), std::move(what), std::move(hint));
  }

  std::int64_t named(const Expression& e) const {
    if (e.enumeration != nullptr) return e.number;
    if (e.constant == nullptr) fail(e, "this is no constant expression");
    const auto found = constants_.values.find(e.constant);
    if (found == constants_.values.end()) {
      fail(e, fmt::format("the constant '{}' has no value here", e.name));
    }
    return found->second;
  }

  std::int64_t unary(const Expression& e) const {
    const std::int64_t x = operand(e, 0);
    if (e.op == Operator::kNot) return x == 0 ? 1 : 0;
    std::int64_t result = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, x, &result)) too_large(e);
    return result;
  }

  [[noreturn]] void too_large(const Expression& e) const {
    fail(e, "the value of this constant expression is too large");
  }

  std::int64_t binary(const Expression& e) const {
    const std::int64_t x = operand(e, 0);
    if (e.op == Operator::kAnd) return x != 0 && operand(e, 1) != 0 ? 1 : 0;
    if (e.op == Operator::kOr) return x != 0 || operand(e, 1) != 0 ? 1 : 0;
    return combine(e, x, operand(e, 1));
  }

  std::int64_t combine(const Expression& e, std::int64_t x,
                       std::int64_t y) const {
    switch (e.op) {
      case Operator::kEqual:
        return x == y ? 1 : 0;
      case Operator::kUnequal:
        return x != y ? 1 : 0;
      case Operator::kLess:
        return x < y ? 1 : 0;
      case Operator::kLessEqual:
        return x <= y ? 1 : 0;
      case Operator::kGreater:
        return x > y ? 1 : 0;
      case Operator::kGreaterEqual:
        return x >= y ? 1 : 0;
      default:
        return calculate(e, x, y);
    }
  }

  std::int64_t calculate(const Expression& e, std::int64_t x,
                         std::int64_t y) const {
    std::int64_t result = 0;
    bool overflows = false;
    switch (e.op) {
      case Operator::kAdd:
        overflows = __builtin_add_overflow(x, y, &result);
        break;
      case Operator::kSubtract:
        overflows = __builtin_sub_overflow(x, y, &result);
        break;
      case Operator::kMultiply:
        overflows = __builtin_mul_overflow(x, y, &result);
        break;
      default:
        if (y == 0) {
          fail(*e.operands[1], "division by zero in a constant expression");
        }
        if (y == -1) {  // the one quotient that can be too large
          overflows = e.op == Operator::kDivide &&
                      __builtin_sub_overflow(std::int64_t{0}, x, &result);
        } else {
          result = e.op == Operator::kDivide ? x / y : x % y;
        }
    }
    if (overflows) too_large(e);
    return result;
  }

  const ConstantValues& constants_;
  const Source& source_;
};

// The constants that `e` names and that have no value yet.
void append_undefined(const Expression& e, const ConstantValues& constants,
                      std::vector<const Constant*>& undefined) {
  if (e.constant != nullptr && e.constant->value != nullptr &&
      !constants.values.contains(e.constant)) {
    undefined.push_back(e.constant);
  }
  for (const ExpressionPtr& operand : e.operands) {
    append_undefined(*operand, constants, undefined);
  }
}

}  // namespace

std::int64_t evaluate(const Expression& expression,
                      const ConstantValues& constants, const Source& source) {
  return Evaluator(constants, source).value(expression);
}

void define_constants(const std::vector<std::unique_ptr<Constant>>& declared,
                      ConstantValues& constants, const Source& source) {
  std::vector<const Constant*> open;
  for (const auto& constant : declared) {
    if (constant->value != nullptr) open.push_back(constant.get());
    // A constant stays until all that it needs is known; there are no cycles.
    while (!open.empty()) {
      const Constant* next = open.back();
      const std::size_t size = open.size();
      if (!constants.values.contains(next)) {
        append_undefined(*next->value, constants, open);
        if (open.size() > size) continue;
        constants.values[next] = evaluate(*next->value, constants, source);
      }
      open.pop_back();
    }
  }
}

}  // namespace plumb::lang
