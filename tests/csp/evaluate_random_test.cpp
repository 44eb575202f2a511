// SPDX-License-Identifier: Apache-2.0
// Random expressions against a small evaluator written from the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "csp/evaluate.h"
#include "csp/trees.h"

namespace plumb::csp {
namespace {

using namespace trees;

// Variables: x, y:{-50..50}, a[3], b (a boolean); one bound name.
enum : int { kX, kY, kA, kB };
constexpr int kBoundValue = 2;

// What the rules say, on plain numbers.
struct Plain {
  bool is_boolean = false;
  std::int64_t number = 0;
};

struct Stopped {
  FaultKind kind;
};

class Oracle {
 public:
  Plain eval(const Expression& e) {
    switch (e.kind) {
      case ExprKind::kInteger:
        return {false, e.number};
      case ExprKind::kBoolean:
        return {true, e.number};
      case ExprKind::kBound:
        return {false, kBoundValue};
      case ExprKind::kGlobal:
      case ExprKind::kElement:
        return *find(e);
      case ExprKind::kUnary:
        return unary_of(e.op, eval(*e.children[0]));
      case ExprKind::kBinary:
        return binary_of(e);
      case ExprKind::kAssign: {
        const auto [cell, checked] = place(*e.children[0]);
        const Plain value = eval(*e.children[1]);
        return store(cell, checked, value);
      }
      case ExprKind::kStep: {
        const auto [cell, checked] = place(*e.children[0]);
        if (cell == nullptr) throw Stopped{FaultKind::kIndex};
        return store(cell, checked, {false, wrap(cell->number + e.number)});
      }
      default:
        throw std::string("not made here");
    }
  }

  Plain x, y, b{true, 0};
  std::array<Plain, 3> a;

 private:
  static std::int64_t wrap(std::int64_t n) {
    std::int64_t low = n % 4'294'967'296;
    if (low < 0) low += 4'294'967'296;
    return low >= 2'147'483'648 ? low - 4'294'967'296 : low;
  }
  Plain* find(const Expression& e) {
    if (e.kind == ExprKind::kElement) {
      const std::int64_t index = eval(*e.children[1]).number;
      if (index < 0 || index > 2) throw Stopped{FaultKind::kIndex};
      return &a[static_cast<std::size_t>(index)];
    }
    return e.number == kX ? &x : e.number == kY ? &y : &b;
  }
  // An index is looked up when the place is read or written, not before.
  std::pair<Plain*, bool> place(const Expression& e) {
    if (e.kind == ExprKind::kElement) {
      const std::int64_t index = eval(*e.children[1]).number;
      if (index < 0 || index > 2) return {nullptr, false};
      return {&a[static_cast<std::size_t>(index)], false};
    }
    return {find(e), e.number == kY};
  }
  static Plain store(Plain* cell, bool checked, Plain value) {
    if (cell == nullptr) throw Stopped{FaultKind::kIndex};
    if (checked && (value.number < -50 || value.number > 50)) {
      throw Stopped{FaultKind::kRange};
    }
    return *cell = value;
  }
  static Plain unary_of(Operator op, Plain operand) {
    if (op == Operator::kNot) return {true, operand.number == 0 ? 1 : 0};
    return {false, wrap(-operand.number)};
  }
  Plain binary_of(const Expression& e) {
    const Plain left = eval(*e.children[0]);
    if (e.op == Operator::kOr && left.number != 0) return {true, 1};
    if (e.op == Operator::kAnd && left.number == 0) return {true, 0};
    const Plain right = eval(*e.children[1]);
    return both(e.op, left, right);
  }
  static Plain both(Operator op, Plain left, Plain right) {
    const std::int64_t l = left.number, r = right.number;
    const bool booleans = left.is_boolean && right.is_boolean;
    switch (op) {
      case Operator::kOr:
      case Operator::kAnd:
        return {true, r != 0 ? 1 : 0};
      case Operator::kXor:
        return {true, (l != 0) != (r != 0) ? 1 : 0};
      case Operator::kBitAnd:
        return {booleans, l & r};
      case Operator::kBitOr:
        return {booleans, l | r};
      case Operator::kBitXor:
        return {booleans, l ^ r};
      case Operator::kEqual:
        return {true, l == r ? 1 : 0};
      case Operator::kUnequal:
        return {true, l != r ? 1 : 0};
      case Operator::kLess:
        return {true, l < r ? 1 : 0};
      case Operator::kLessEqual:
        return {true, l <= r ? 1 : 0};
      case Operator::kGreater:
        return {true, l > r ? 1 : 0};
      case Operator::kGreaterEqual:
        return {true, l >= r ? 1 : 0};
      case Operator::kAdd:
        return {false, wrap(l + r)};
      case Operator::kSubtract:
        return {false, wrap(l - r)};
      case Operator::kMultiply:
        return {false, wrap(l * r)};
      case Operator::kDivide:
        if (r == 0) throw Stopped{FaultKind::kDivision};
        if (l / r == 2'147'483'648) throw Stopped{FaultKind::kOverflow};
        return {false, l / r};
      default: {
        if (r == 0) throw Stopped{FaultKind::kDivision};
        std::int64_t rest = l % r;
        while (rest < 0) rest += std::abs(r);
        return {false, rest};
      }
    }
  }
};

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  ExprPtr expression(int depth) {
    if (depth == 0) return leaf();
    switch (random_() % 9) {
      case 0:
        return leaf();
      case 1:
        return unary(random_() % 2 == 0 ? Operator::kNot : Operator::kNegate,
                     expression(depth - 1));
      case 2:
        return assign(place(depth - 1), expression(depth - 1));
      case 3:
        return step(place(depth - 1), random_() % 2 == 0 ? 1 : -1);
      case 4:
        return element(global(kA), {expression(depth - 1)});
      default:
        return binary(static_cast<Operator>(random_() % 17),
                      expression(depth - 1), expression(depth - 1));
    }
  }

 private:
  ExprPtr leaf() {
    switch (random_() % 7) {
      case 0:
        return boolean(random_() % 2 == 0);
      case 1:
        return global(kX);
      case 2:
        return global(kY);
      case 3:
        return global(kB);
      case 4:
        return bound(0);
      case 5:
        return number(random_() % 8 == 0 ? -2'147'483'648 : 2'000'000'000);
      default:
        return number(static_cast<std::int64_t>(random_() % 7) - 3);
    }
  }
  ExprPtr place(int depth) {
    switch (random_() % 4) {
      case 0:
        return element(global(kA), {expression(depth)});
      case 1:
        return global(kY);
      case 2:
        return global(kB);
      default:
        return global(kX);
    }
  }

  std::mt19937 random_;
};

Module example() {
  Module module;
  module.variables.push_back(variable("x"));
  module.variables.push_back(ranged(variable("y"), -50, 50));
  module.variables.push_back(array("a", {3}));
  module.variables.push_back(variable("b", boolean(false)));
  module.variables.back().is_boolean = true;
  return module;
}

Datum datum(Plain plain) {
  return plain.is_boolean
             ? Datum::boolean(plain.number != 0)
             : Datum::integer(static_cast<std::int32_t>(plain.number));
}

TEST(RandomExpressions, DoWhatTheRulesSay) {
  const Module module = example();
  Layout layout(module);
  Valuation valuation = initial_valuations(module, layout)[0];
  const std::array<Datum, 1> names = {Datum::integer(kBoundValue)};
  Context context{valuation, names};
  Maker maker(5);
  Oracle oracle;
  int faults = 0;
  for (int round = 0; round < 30'000; ++round) {
    const ExprPtr tree = maker.expression(1 + round % 5);
    const Program program = compile(*tree, layout);
    const Valuation before = valuation;
    std::optional<Datum> expected, found;
    std::optional<FaultKind> expected_fault, found_fault;
    try {
      expected = datum(oracle.eval(*tree));
    } catch (const Stopped& stopped) {
      expected_fault = stopped.kind;
    }
    try {
      found = evaluate(program, context);
    } catch (const RuntimeFault& fault) {
      found_fault = fault.kind;
      const auto sites = program.fault_sites();
      ASSERT_NE(std::find(sites.begin(), sites.end(),
                          FaultSite{fault.kind, fault.span}),
                sites.end());
      ++faults;
    }
    ASSERT_EQ(expected, found) << round;
    ASSERT_EQ(expected_fault, found_fault) << round;
    ASSERT_EQ(valuation.get(kX), datum(oracle.x)) << round;
    ASSERT_EQ(valuation.get(kY), datum(oracle.y)) << round;
    ASSERT_EQ(valuation.get(kB), datum(oracle.b)) << round;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(valuation.element(kA, static_cast<std::int64_t>(i)),
                datum(oracle.a[i]));
    }
    ASSERT_TRUE(program.writes() || before == valuation);
    if (found) {
      // The fast ways agree with the general one.
      if (program.writes()) continue;
      ASSERT_EQ(evaluate_number(program, context), found->number());
      ASSERT_EQ(holds(program, context), found->number() != 0);
    }
  }
  EXPECT_GT(faults, 1'000);
  EXPECT_LT(faults, 20'000);
}

}  // namespace
}  // namespace plumb::csp
