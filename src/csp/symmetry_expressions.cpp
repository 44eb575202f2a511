// SPDX-License-Identifier: Apache-2.0
// Expressions that name all interchangeable values alike.
#include "csp/symmetry_expressions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace plumb::csp {

namespace {

// Operands may stand in any order, and parentheses anywhere.
bool joins_freely(Operator op) {
  return op == Operator::kAnd || op == Operator::kOr || op == Operator::kXor ||
         op == Operator::kAdd;
}

bool is_comparison(Operator op) {
  return op == Operator::kEqual || op == Operator::kUnequal;
}

// Operands in another order are evaluated in another order, so nothing may go
// wrong or change anything.
bool only_looks(const Expression& e, const Module& module,
                const IsSafeIndex& is_safe) {
  switch (e.kind) {
    case ExprKind::kInteger:
    case ExprKind::kBoolean:
    case ExprKind::kGlobal:
    case ExprKind::kBound:
    case ExprKind::kLocal:
      return true;
    case ExprKind::kElement: {
      if (e.children[0]->kind != ExprKind::kGlobal) return false;
      const auto number = static_cast<std::size_t>(e.children[0]->number);
      const auto& dimensions = module.variables[number].dimensions;
      if (dimensions.size() + 1 != e.children.size()) return false;
      for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (!is_safe(*e.children[i + 1], dimensions[i])) return false;
      }
      return true;
    }
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      if (e.op == Operator::kDivide || e.op == Operator::kModulo) return false;
      break;
    default:
      return false;
  }
  return std::all_of(e.children.begin(), e.children.end(),
                     [&](const ExprPtr& child) {
                       return only_looks(*child, module, is_safe);
                     });
}

std::string key_of(const Expression& e, const Renamed& renamed);

void add_operands(const Expression& e, Operator op, const Renamed& renamed,
                  std::vector<std::string>& out) {
  if (e.kind != ExprKind::kBinary || e.op != op) {
    out.push_back(key_of(e, renamed));
    return;
  }
  for (const ExprPtr& child : e.children) {
    add_operands(*child, op, renamed, out);
  }
}

// The same for trees that differ in the order of operands only.
std::string key_of(const Expression& e, const Renamed& renamed) {
  const bool is_constant =
      e.kind == ExprKind::kInteger || e.kind == ExprKind::kBoolean;
  std::string key = std::to_string(static_cast<int>(e.kind)) + "." +
                    std::to_string(static_cast<int>(e.op)) + "." +
                    std::to_string(is_constant ? renamed(e) : e.number) + "(";
  std::vector<std::string> operands;
  const bool is_free = e.kind == ExprKind::kBinary && joins_freely(e.op);
  if (is_free) {
    add_operands(e, e.op, renamed, operands);
  } else {
    for (const ExprPtr& child : e.children) {
      operands.push_back(key_of(*child, renamed));
    }
  }
  if (is_free || (e.kind == ExprKind::kBinary && is_comparison(e.op))) {
    std::sort(operands.begin(), operands.end());
  }
  for (const std::string& operand : operands) key += operand + ",";
  return key + ")";
}

}  // namespace

bool means_the_same(const Expression& tree, const Renamed& renamed,
                    const Module& module, const IsSafeIndex& is_safe) {
  if (tree.kind == ExprKind::kAssign) {
    // The place is found once; what matters is the value.
    if (!only_looks(*tree.children[1], module, is_safe)) return false;
  } else if (!only_looks(tree, module, is_safe)) {
    return false;
  }
  return key_of(tree, renamed) ==
         key_of(tree, [](const Expression& e) { return e.number; });
}

}  // namespace plumb::csp
