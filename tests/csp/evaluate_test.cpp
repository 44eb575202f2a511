// SPDX-License-Identifier: Apache-2.0
// Expressions and blocks: what they give, what they change, how they fail.
#include "csp/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "csp/trees.h"

namespace plumb::csp {
namespace {

using namespace trees;

// Variables by number: x, a[3], b, m[2][3], r:{0..3}, l (a List).
enum : int { kX, kA, kB, kM, kR, kL };

Module example() {
  Module module;
  module.variables.push_back(variable("x"));
  module.variables.push_back(array("a", {3}, numbers({10, 20, 30})));
  module.variables.push_back(variable("b", boolean(false)));
  module.variables.back().is_boolean = true;
  module.variables.push_back(array("m", {2, 3}, numbers({1, 2, 3, 4, 5, 6})));
  module.variables.push_back(ranged(variable("r"), 0, 3));
  module.variables.push_back(object("l", "List"));
  return module;
}

class Evaluate : public ::testing::Test {
 protected:
  std::string text(const ExprPtr& tree) {
    return guarded(*tree, [&](const Program& program) {
      return evaluate(program, context_).text();
    });
  }
  std::string run_text(const StatementPtr& tree) {
    return guarded(*tree, [&](const Program& program) {
      run(program, context_);
      return std::string("done");
    });
  }
  std::string now(std::uint32_t variable) {
    return valuation_.get(variable).text();
  }

  // A fault must be one that the program announced.
  template <typename Tree, typename Work>
  std::string guarded(const Tree& tree, Work work) {
    const Program program = compile(tree, layout_);
    try {
      return work(program);
    } catch (const RuntimeFault& fault) {
      const auto sites = program.fault_sites();
      EXPECT_NE(std::find(sites.begin(), sites.end(),
                          FaultSite{fault.kind, fault.span}),
                sites.end())
          << fault.message() << " at " << fault.span.begin;
      return fault.message();
    }
  }

  Module module_ = example();
  Layout layout_{module_};
  Valuation valuation_ = initial_valuations(module_, layout_)[0];
  Context context_{valuation_};
};

ExprPtr sum(ExprPtr left, ExprPtr right) {
  return binary(Operator::kAdd, std::move(left), std::move(right));
}

TEST_F(Evaluate, ModuloIsNeverNegativeAndDivisionTruncates) {
  const auto modulo = [&](int left, int right) {
    return text(binary(Operator::kModulo, number(left), number(right)));
  };
  const auto quotient = [&](int left, int right) {
    return text(binary(Operator::kDivide, number(left), number(right)));
  };
  EXPECT_EQ(modulo(-1, 3), "2");
  EXPECT_EQ(modulo(7, 3), "1");
  EXPECT_EQ(modulo(-6, 3), "0");
  EXPECT_EQ(modulo(5, -3), "2");
  EXPECT_EQ(modulo(-5, -3), "1");
  EXPECT_EQ(quotient(-7, 2), "-3");
  EXPECT_EQ(quotient(7, -2), "-3");
  EXPECT_EQ(quotient(1, 0), "division by zero");
  EXPECT_EQ(modulo(1, 0), "division by zero");
}

TEST_F(Evaluate, NumbersWrapAt32Bits) {
  EXPECT_EQ(text(sum(number(2'147'483'647), number(1))), "-2147483648");
  EXPECT_EQ(text(binary(Operator::kMultiply, number(65'536), number(65'536))),
            "0");
  EXPECT_EQ(text(unary(Operator::kNegate, number(-2'147'483'648))),
            "-2147483648");
  EXPECT_EQ(text(binary(Operator::kDivide, number(-2'147'483'648), number(-1))),
            "number too large for 32 bits");
  EXPECT_EQ(text(binary(Operator::kModulo, number(-2'147'483'648), number(-1))),
            "0");
  valuation_.set(kX, Datum::integer(2'147'483'647));
  EXPECT_EQ(text(step(global(kX), 1)), "-2147483648");
}

TEST_F(Evaluate, BooleansAndNumbersMix) {
  EXPECT_EQ(text(sum(boolean(true), number(2))), "3");
  EXPECT_EQ(text(unary(Operator::kNot, number(7))), "false");
  EXPECT_EQ(text(binary(Operator::kAnd, number(2), number(1))), "true");
  EXPECT_EQ(text(binary(Operator::kEqual, boolean(true), number(1))), "true");
  EXPECT_EQ(text(binary(Operator::kXor, number(2), number(1))), "false");
  EXPECT_EQ(text(binary(Operator::kBitXor, number(6), number(3))), "5");
  EXPECT_EQ(text(binary(Operator::kBitAnd, number(6), number(3))), "2");
  EXPECT_EQ(text(binary(Operator::kBitOr, number(6), number(3))), "7");
  EXPECT_EQ(text(binary(Operator::kBitAnd, boolean(true), boolean(true))),
            "true");
  EXPECT_EQ(text(binary(Operator::kBitXor, boolean(true), number(0))), "1");
}

TEST_F(Evaluate, AndAndOrLookNoFurtherThanNeeded) {
  const ExprPtr wrong = binary(Operator::kDivide, number(1), global(kX));
  EXPECT_EQ(text(binary(Operator::kAnd, number(0), wrong)), "false");
  EXPECT_EQ(text(binary(Operator::kOr, number(1), wrong)), "true");
  EXPECT_EQ(text(binary(Operator::kAnd, number(1), wrong)), "division by zero");
  EXPECT_EQ(text(binary(Operator::kXor, number(0), wrong)), "division by zero");
}

TEST_F(Evaluate, ElementsAreCountedInOneRowOrInDimensions) {
  const auto at = [&](std::vector<ExprPtr> indices) {
    return text(element(global(kM), std::move(indices)));
  };
  EXPECT_EQ(at({number(1), number(2)}), "6");
  EXPECT_EQ(at({number(0), number(1)}), "2");
  EXPECT_EQ(at({number(4)}), "5");
  EXPECT_EQ(at({number(6)}), "index out of bounds: 6 where 'm' has 6 elements");
  EXPECT_EQ(at({number(0), number(3)}),
            "index out of bounds: 3 where dimension 2 of 'm' has 3");
  EXPECT_EQ(at({number(-1), number(0)}),
            "index out of bounds: -1 where dimension 1 of 'm' has 2");
  text(assign(element(global(kM), {number(1), number(0)}), number(40)));
  EXPECT_EQ(now(kM), "[1,2,3,40,5,6]");
}

TEST_F(Evaluate, ArraysAreCopiedWhenAssigned) {
  EXPECT_EQ(text(assign(global(kX), global(kA))), "[10,20,30]");
  text(assign(element(global(kA), {number(0)}), number(99)));
  EXPECT_EQ(now(kX), "[10,20,30]");
  EXPECT_EQ(text(element(global(kX), {number(2)})), "30");
  EXPECT_EQ(text(binary(Operator::kEqual, global(kX), numbers({10, 20, 30}))),
            "true");
  EXPECT_EQ(text(binary(Operator::kUnequal, global(kX), global(kA))), "true");
  EXPECT_EQ(text(sum(global(kX), number(1))),
            "value of the wrong kind: [10,20,30] where a number is needed");
}

TEST_F(Evaluate, AnAssignmentHasAValueAndChecksTheRange) {
  EXPECT_EQ(text(assign(global(kX), assign(global(kR), number(3)))), "3");
  EXPECT_EQ(now(kX), "3");
  EXPECT_EQ(text(step(global(kR), 1)),
            "value outside of the variable's range: 4 for 'r:{0..3}'");
  EXPECT_EQ(now(kR), "3");
  EXPECT_EQ(text(step(global(kR), -1)), "2") << "the new value";
}

TEST_F(Evaluate, ThePlaceOfAnAssignmentIsFoundOnceAndFirst) {
  // a[x++] = x: the index is 1, and so is the value.
  text(assign(element(global(kA), {step(global(kX), 1)}), global(kX)));
  EXPECT_EQ(now(kA), "[10,1,30]");
  // a[x++]++ moves x once.
  text(step(element(global(kA), {step(global(kX), 1)}), 1));
  EXPECT_EQ(now(kA), "[10,1,31]");
  EXPECT_EQ(now(kX), "2");
}

TEST_F(Evaluate, BoundNamesAreReadOnly) {
  const std::vector<Datum> bound_values = {Datum::integer(5),
                                           Datum::object(ClassId::kStack, {1})};
  context_.bound = bound_values;
  EXPECT_EQ(text(sum(bound(0), number(1))), "6");
  EXPECT_EQ(text(assign(bound(0), number(1))),
            "value of the wrong kind: parameters and inputs cannot be "
            "assigned");
  EXPECT_EQ(text(method(bound(1), "Peek")), "1");
  EXPECT_EQ(text(method(bound(1), "Pop")),
            "value of the wrong kind: parameters and inputs cannot be "
            "changed");
}

TEST_F(Evaluate, BlocksHaveLocalsAndLoops) {
  // var s = 0; var i = 0; while (i < 3) { s = s + a[i]; i++; } x = s;
  EXPECT_EQ(run_text(block(
                {declare(0, nullptr), declare(1, number(0)),
                 loop(binary(Operator::kLess, local(1), number(3)),
                      block({run_of(assign(local(0),
                                           sum(local(0), element(global(kA),
                                                                 {local(1)})))),
                             run_of(step(local(1), 1))})),
                 run_of(assign(global(kX), local(0)))})),
            "done");
  EXPECT_EQ(now(kX), "60");
}

TEST_F(Evaluate, LocalArraysAreArraysToo) {
  EXPECT_EQ(
      run_text(block({declare(0, numbers({1, 2})),
                      run_of(assign(element(local(0), {number(1)}), number(8))),
                      run_of(step(element(local(0), {number(0)}), 1)),
                      run_of(assign(global(kA), local(0)))})),
      "done");
  EXPECT_EQ(now(kA), "[2,8]");
  EXPECT_EQ(run_text(block(
                {declare(0, numbers({1})),
                 run_of(assign(element(local(0), {number(1)}), number(0)))})),
            "index out of bounds: 1 of 1 elements");
}

TEST_F(Evaluate, AnIfTakesOneBranch) {
  const auto choose = [&](int n) {
    return run_text(statement(StatementKind::kIf, number(n),
                              {run_of(assign(global(kX), number(1))),
                               run_of(assign(global(kX), number(2)))}));
  };
  choose(5);
  EXPECT_EQ(now(kX), "1");
  choose(0);
  EXPECT_EQ(now(kX), "2");
  run_text(statement(StatementKind::kIf, number(0),
                     {run_of(assign(global(kX), number(3)))}));
  EXPECT_EQ(now(kX), "2");
}

TEST_F(Evaluate, ALoopWithoutEndIsAFault) {
  EXPECT_EQ(run_text(loop(number(1), block({}))),
            "loop without an end in sight: more than 1000000 rounds");
}

TEST_F(Evaluate, ALoopMayGoOnForAMillionRounds) {
  EXPECT_EQ(
      run_text(loop(binary(Operator::kLess, global(kX), number(1'000'000)),
                    run_of(step(global(kX), 1)))),
      "done");
  EXPECT_EQ(now(kX), "1000000");
}

TEST_F(Evaluate, ABlockOfAMacroGivesItsLastExpression) {
  auto macro = make(ExprKind::kBlock);
  macro->block = block({run_of(assign(global(kX), number(4))),
                        run_of(sum(global(kX), number(1)))});
  EXPECT_EQ(text(macro), "5");
  auto nothing = make(ExprKind::kBlock);
  nothing->block = block({declare(0, nullptr)});
  EXPECT_EQ(text(nothing), "value of the wrong kind: this gives no value");
}

ExprPtr indexed(Operator op, ExprPtr low, ExprPtr high, ExprPtr body) {
  auto tree = make(ExprKind::kIndexed, {std::move(body)});
  tree->op = op;
  Index index;
  index.slot = 2;
  index.low = std::move(low);
  index.high = std::move(high);
  tree->indices.push_back(std::move(index));
  return tree;
}

TEST_F(Evaluate, IndexedOperatorsGoThroughTheirRange) {
  const auto some = [&](Operator op, int low, int high, int least) {
    return text(
        indexed(op, number(low), number(high),
                binary(Operator::kGreaterEqual, element(global(kA), {local(2)}),
                       number(least))));
  };
  EXPECT_EQ(some(Operator::kAnd, 0, 2, 10), "true");
  EXPECT_EQ(some(Operator::kAnd, 0, 2, 11), "false");
  EXPECT_EQ(some(Operator::kOr, 0, 2, 30), "true");
  EXPECT_EQ(some(Operator::kOr, 0, 1, 30), "false");
  EXPECT_EQ(some(Operator::kXor, 0, 2, 10), "true");
  EXPECT_EQ(some(Operator::kXor, 0, 2, 20), "false");
  EXPECT_EQ(some(Operator::kAnd, 1, 0, 99), "true") << "of nothing";
  EXPECT_EQ(some(Operator::kOr, 1, 0, 0), "false") << "of nothing";
  EXPECT_EQ(some(Operator::kOr, 0, 9, 10), "true") << "stops in time";
}

TEST_F(Evaluate, FieldsAreReadAndWritten) {
  EXPECT_EQ(text(assign(field(global(kL), "Field"), number(4))), "4");
  EXPECT_EQ(text(field(global(kL), "Property")), "4");
  EXPECT_EQ(text(step(field(global(kL), "Property"), 1)), "5");
  EXPECT_EQ(text(field(global(kL), "Field")), "5");
  EXPECT_EQ(text(field(global(kX), "Field")),
            "value of the wrong kind: there is no Field for no object: 0");
}

TEST_F(Evaluate, ObjectsAreCopiedAndListsLoseTheirFieldThen) {
  run_text(run_of(method(global(kL), "Add", {number(1)})));
  text(assign(field(global(kL), "Field"), number(4)));
  text(assign(global(kX), global(kL)));
  run_text(run_of(method(global(kX), "Add", {number(2)})));
  EXPECT_EQ(now(kL), "[1]$4");
  EXPECT_EQ(now(kX), "[1,2]");
}

TEST_F(Evaluate, MethodsOfUnknownReceiversAreFaults) {
  EXPECT_EQ(text(method(global(kX), "Count")),
            "value of the wrong kind: there is no Count of 0 arguments for no "
            "object: 0");
  EXPECT_EQ(text(method(global(kL), "Add", {number(1)})),
            "value of the wrong kind: Add gives no value");
  EXPECT_EQ(run_text(run_of(method(global(kL), "Add", {number(1)}))), "done");
}

TEST_F(Evaluate, ProgramsKnowWhetherTheyWrite) {
  const auto writes = [&](const ExprPtr& tree) {
    return compile(*tree, layout_).writes();
  };
  EXPECT_FALSE(writes(sum(global(kX), element(global(kA), {number(1)}))));
  EXPECT_TRUE(writes(assign(global(kX), number(1))));
  EXPECT_TRUE(
      writes(sum(number(1), step(element(global(kA), {number(0)}), 1))));
  EXPECT_TRUE(writes(assign(field(global(kL), "Field"), number(1))));
  EXPECT_TRUE(writes(method(global(kL), "Remove", {number(1)})));
  EXPECT_FALSE(writes(method(global(kL), "Count")));
  EXPECT_FALSE(writes(method(construct("Stack"), "Pop")));
  EXPECT_FALSE(
      compile(*block({declare(0, number(1)), run_of(step(local(0), 1))}),
              layout_)
          .writes());
}

TEST_F(Evaluate, ConstantsAreFoldedButFaultsWaitForTheirTurn) {
  EXPECT_TRUE(compile(*sum(number(1), number(2)), layout_).is_constant());
  EXPECT_TRUE(compile(*numbers({1, 2}), layout_).is_constant());
  EXPECT_FALSE(compile(*global(kX), layout_).is_constant());
  const ExprPtr wrong = binary(Operator::kDivide, number(1), number(0));
  EXPECT_FALSE(compile(*wrong, layout_).is_constant());
  EXPECT_EQ(text(binary(Operator::kOr, global(kB), wrong)), "division by zero");
  EXPECT_EQ(text(binary(Operator::kAnd, global(kB), wrong)), "false");
}

class Two : public ProcessCounter {
  std::int32_t count(std::uint32_t process) const override {
    return process == 7 ? 2 : 0;
  }
};

TEST_F(Evaluate, ProcessesAreCountedByWhoeverKnows) {
  const Two two;
  context_.processes = &two;
  EXPECT_EQ(text(make(ExprKind::kProcesses, {}, 7)), "2");
  context_.processes = nullptr;
  EXPECT_NE(text(make(ExprKind::kProcesses, {}, 7)), "2");
}

TEST_F(Evaluate, AFaultNamesTheInnermostPlace) {
  const ExprPtr wrong = element(global(kA), {number(5)});
  const ExprPtr whole = sum(number(1), sum(wrong, number(2)));
  try {
    evaluate(*whole, context_);
    FAIL();
  } catch (const RuntimeFault& fault) {
    EXPECT_EQ(fault.span.begin, wrong->span.begin);
  }
}

TEST_F(Evaluate, AnEmptyProgramIsZero) {
  EXPECT_EQ(evaluate(Program(), context_), Datum::integer(0));
}

}  // namespace
}  // namespace plumb::csp
