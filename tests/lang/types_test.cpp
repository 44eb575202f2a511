// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "lang/constants.h"
#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;

TEST(Types, NamesMeanConstantsEnumeratorsOrVariables) {
  const Body body = body_of("const N = 3; enum E { a, b } shared int x;",
                            "int y = N + x; E e = b; y = y;");
  const Expression& sum = *body[0].variables[0]->initial;
  const Object& object = *body.module->objects[0];
  EXPECT_EQ(sum.operands[0]->constant, object.constants[0].get());
  EXPECT_EQ(sum.operands[0]->variable, nullptr);
  EXPECT_EQ(sum.operands[1]->variable, object.variables[0].get());
  const Expression& b = *body[1].variables[0]->initial;
  EXPECT_EQ(b.enumeration, object.enums[0].get());
  EXPECT_EQ(b.number, 1);
  EXPECT_EQ(body[2].value->variable, body[0].variables[0].get());
}

TEST(Types, ALocalEndsWithItsBlock) {
  const Body body =
      body_of("shared bool p;",
              "if (p) { int i = 1; } for (int i = 0; i < 1; i++) { int k; } "
              "{ int i = 2; int k = i; } if (p) int j; else int j;");
  EXPECT_EQ(body[2].body[1]->variables[0]->initial->variable,
            body[2].body[0]->variables[0].get());
}

TEST(Types, KnowsFieldsByTheirIndex) {
  const Body body = body_of("struct N { int v; N n; } shared N top;",
                            "top.n.v = 1; N m = new N { n = top, v = 2 };");
  const Expression& target = *body[0].target;
  const Struct* n = body.module->objects[0]->structs[0].get();
  EXPECT_EQ(target.field, 0u);
  EXPECT_EQ(target.structure, n);
  EXPECT_EQ(target.operands[0]->field, 1u);
  const Expression& cell = *body[1].variables[0]->initial;
  EXPECT_EQ(cell.structure, n);
  EXPECT_THAT(cell.field_indices, ElementsAre(1u, 0u));
  EXPECT_EQ(cell.type->structure, n);
}

TEST(Types, KnowsWhichFunctionIsCalled) {
  const Body body = body_of("function int f(int k) { return k; }",
                            "int y = f(1) + min(1, 2);");
  const Expression& sum = *body[0].variables[0]->initial;
  EXPECT_EQ(sum.operands[0]->function,
            body.module->objects[0]->functions[0].get());
  EXPECT_EQ(sum.operands[0]->type->kind, TypeKind::kInt);
  EXPECT_EQ(sum.operands[1]->kind, ExpressionKind::kBuiltin);
  EXPECT_EQ(sum.operands[1]->builtin, Builtin::kMin);
}

TypeKind kind_of(const std::string& expression) {
  const Body body = body_of(
      "struct N { int v; } enum E { a, b } shared N n; shared int x, y[2];"
      "shared seq<E> q; shared set<int> s; shared map<int, N> m;",
      "bool p = (" + expression + ") == (" + expression + ");");
  return body[0].variables[0]->initial->operands[0]->type->kind;
}

TEST(Types, EveryExpressionHasItsType) {
  EXPECT_EQ(kind_of("1"), TypeKind::kInt);
  EXPECT_EQ(kind_of("empty"), TypeKind::kEmpty);
  EXPECT_EQ(kind_of("true ? empty : x"), TypeKind::kInt);
  EXPECT_EQ(kind_of("true ? n : null"), TypeKind::kReference);
  EXPECT_EQ(kind_of("null"), TypeKind::kNull);
  EXPECT_EQ(kind_of("self"), TypeKind::kProcess);
  EXPECT_EQ(kind_of("nobody"), TypeKind::kProcess);
  EXPECT_EQ(kind_of("processes"), TypeKind::kInt);
  EXPECT_EQ(kind_of("index(self)"), TypeKind::kInt);
  EXPECT_EQ(kind_of("x < 1"), TypeKind::kBool);
  EXPECT_EQ(kind_of("!(x == 1)"), TypeKind::kBool);
  EXPECT_EQ(kind_of("-x % 2"), TypeKind::kInt);
  EXPECT_EQ(kind_of("y[x]"), TypeKind::kInt);
  EXPECT_EQ(kind_of("n.v"), TypeKind::kInt);
  EXPECT_EQ(kind_of("a"), TypeKind::kEnum);
  EXPECT_EQ(kind_of("q[0]"), TypeKind::kEnum);
  EXPECT_EQ(kind_of("front(q)"), TypeKind::kEnum);
  EXPECT_EQ(kind_of("any_of(s)"), TypeKind::kInt);
  EXPECT_EQ(kind_of("insert(s, 1)"), TypeKind::kBool);
  EXPECT_EQ(kind_of("m[1]"), TypeKind::kReference);
  EXPECT_EQ(kind_of("contains(m, 1)"), TypeKind::kBool);
  EXPECT_EQ(kind_of("cas(x, 0, 1)"), TypeKind::kBool);
  EXPECT_EQ(kind_of("dcas(x, n, 0, n, 1, null)"), TypeKind::kBool);
  EXPECT_EQ(kind_of("fetch_add(x, 1)"), TypeKind::kInt);
  EXPECT_EQ(kind_of("exchange(n, null)"), TypeKind::kReference);
  EXPECT_EQ(kind_of("new N"), TypeKind::kReference);
}

TEST(Types, AConstantHasTheTypeOfItsValue) {
  const auto module =
      module_of("const A = B > 2; const B = C + 1; const C = 3;");
  EXPECT_EQ(module->constants[0]->type->kind, TypeKind::kBool);
  EXPECT_EQ(module->constants[1]->type->kind, TypeKind::kInt);
}

TEST(Types, RangesOfIntFitEachOther) {
  EXPECT_EQ(message_in_object("shared int 0..3 a; shared bit b; "
                              "void op(int v) { a = b; b = a; v = a; a = v; }"),
            "");
}

TEST(Types, AFunctionOnlyCalledInAtomicMayCopyArrays) {
  const std::string members =
      "shared int a[2]; function bool same() { int b[2] = a; return b == a; }";
  EXPECT_EQ(
      message_in_object(members + "bool op() { atomic { return same(); } }"),
      "");
  EXPECT_EQ(message_in_object(members + "init { assert same(); } "
                                        "void op() { skip; }"),
            "");
  EXPECT_NE(message_in_object(members + "bool op() { return same(); }"), "");
  EXPECT_NE(message_in_object(members), "") << "as if an operation called it";
}

TEST(Types, SpecificationsAreAtomic) {
  EXPECT_EQ(errors_of("spec s { int a[2]; int b[2]; seq<int> q; seq<int> r;\n"
                      "bool op() { a = b; q = r; await a[0] == b[1]; "
                      "return a == b && q == r; } }"),
            "");
}

TEST(Types, AwaitCountsSharedAccesses) {
  const std::string wrong =
      "this 'await' may access more than one shared place (write 'atomic { "
      "await ...; }' to make it one step)";
  EXPECT_EQ(message_in_body("await x == v;"), "");
  EXPECT_EQ(message_in_body("await y[v] == 1;"), "");
  EXPECT_EQ(message_in_body("await len(q) > 0;"), "");
  EXPECT_EQ(message_in_body("await cas(x, 0, 1);"), "");
  EXPECT_EQ(message_in_body("Node n = top; await n.val == 1;"), "");
  EXPECT_EQ(message_in_body("Node n = top; await n.data[1] == 1;"), "");
  EXPECT_EQ(message_in_body("await dcas(x, flag, 0, true, 1, false);"), "");
  EXPECT_EQ(message_in_body("await helper(x) == 1;"), "");
  EXPECT_EQ(message_in_body("await x == y[0];"), wrong);
  EXPECT_EQ(message_in_body("await y[x] == 1;"), wrong);
  EXPECT_EQ(message_in_body("await top.val == 1;"), wrong);
  EXPECT_EQ(message_in_body("await q[x] == 1;"), wrong);
  EXPECT_EQ(message_in_body("await cas(x, y[0], 1);"), wrong);
  EXPECT_EQ(message_in_body("await flag && x == 1;"), wrong);
  EXPECT_EQ(message_in_body("atomic { await x == y[0]; }"), "");
}

TEST(Types, AwaitLooksIntoFunctions) {
  const std::string rest = " } void op() { await f(); }";
  const std::string members = "shared int x, y; function bool f() { ";
  EXPECT_EQ(message_in_object(members + "return x == 1;" + rest), "");
  EXPECT_EQ(message_in_object(members + "atomic { return x == y; }" + rest),
            "");
  EXPECT_NE(message_in_object(members + "return x == y;" + rest), "");
  EXPECT_NE(message_in_object(members + "x = 1; return y == 1;" + rest), "");
  EXPECT_NE(
      message_in_object(members + "while (x == 1) skip; return true;" + rest),
      "");
}

TEST(Types, ControlMustNotReachTheEndWithoutAValue) {
  const auto ends = [](const std::string& body) {
    return !message_in_object("shared bool p; int op() {" + body + "}").empty();
  };
  EXPECT_TRUE(ends(""));
  EXPECT_TRUE(ends("if (p) return 1;"));
  EXPECT_TRUE(ends("while (p) return 1;"));
  EXPECT_TRUE(ends("while (true) { if (p) break; return 1; }"));
  EXPECT_TRUE(ends("for (int i = 0; i < 2; i++) return 1;"));
  EXPECT_TRUE(ends("choose { return 1; } or { skip; }"));
  EXPECT_TRUE(ends("do { if (p) continue; return 1; } while (p);"));
  EXPECT_TRUE(ends("assert false;"));
  EXPECT_FALSE(ends("return 1;"));
  EXPECT_FALSE(ends("return 1; skip;"));
  EXPECT_FALSE(ends("if (p) return 1; else return 2;"));
  EXPECT_FALSE(ends("while (true) skip;"));
  EXPECT_FALSE(ends("while (true) { while (p) break; }"))
      << "the break belongs to the inner loop";
  EXPECT_FALSE(ends("for (;;) { if (p) return 1; }"));
  EXPECT_FALSE(ends("do { return 1; } while (p);"));
  EXPECT_FALSE(ends("choose { return 1; } or { atomic { return 2; } }"));
  EXPECT_FALSE(ends("{ linearize return 1; }"));
}

std::int64_t value_of(const std::string& expression,
                      std::int64_t processes = 3) {
  const auto module =
      module_of("const N = 4; const B = N > 3; const X = " + expression + ";");
  ConstantValues constants;
  constants.processes = processes;
  define_constants(module->constants, constants, *module->source);
  return constants.values.at(module->constants[2].get());
}

TEST(Constants, AreEvaluated) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("-7 % 2"), -1);
  EXPECT_EQ(value_of("N / -1"), -4);
  EXPECT_EQ(value_of("N % -1"), 0);
  EXPECT_EQ(value_of("min(N, 2) + max(N, 2)"), 6);
  EXPECT_EQ(value_of("processes * 10"), 30);
  EXPECT_EQ(value_of("B ? 1 : 1 / 0"), 1) << "only what is chosen";
  EXPECT_EQ(value_of("false && 1 / 0 == 1"), 0);
  EXPECT_EQ(value_of("true || 1 / 0 == 1"), 1);
  EXPECT_EQ(value_of("!B"), 0);
  EXPECT_EQ(value_of("(N < 4) == (N >= 5)"), 1);
  EXPECT_EQ(value_of("(N <= 4) != (N > 5)"), 1);
}

TEST(Constants, MembersOfEnumsAreTheirIndices) {
  const auto module = module_of(
      "object a { enum E { u, v } struct N { E e = v; } void f() { skip; } }");
  const Variable& field = *module->objects[0]->structs[0]->fields[0];
  EXPECT_EQ(evaluate(*field.initial, {}, *module->source), 1);
}

TEST(Constants, OverridesReachWhatDependsOnThem) {
  const auto module = module_of("const B = A + 1; const A = 1; const C = B;");
  ConstantValues constants;
  constants.values[module->constants[1].get()] = 10;
  define_constants(module->constants, constants, *module->source);
  EXPECT_EQ(constants.values.at(module->constants[2].get()), 11);
  EXPECT_EQ(constants.values.at(module->constants[1].get()), 10);
}

// A chain far deeper than any stack.
TEST(Constants, MayDependOnEachOtherInLongChains) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "const c" + std::to_string(i) + " = c" + std::to_string(i + 1) +
            " + 1;\n";
  }
  const auto module = module_of(text + "const c20000 = 0;");
  ConstantValues constants;
  define_constants(module->constants, constants, *module->source);
  EXPECT_EQ(constants.values.at(module->constants[0].get()), 20'000);
}

std::string failure_of(const std::string& expression) {
  try {
    value_of(expression);
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

TEST(Constants, SayWhereTheyGoWrong) {
  EXPECT_EQ(failure_of("1 / (N - 4)"),
            "m.plumb:1:45: error: division by zero in a constant expression\n"
            "  1 | const N = 4; const B = N > 3; const X = 1 / (N - 4);\n"
            "    |                                             ^~~~~~~\n");
  const std::string large = "2147483647 * 2147483647";
  EXPECT_NE(failure_of("1 % 0").find("division by zero"), std::string::npos);
  EXPECT_EQ(value_of(large), 4611686014132420609);
  for (const std::string& text :
       {large + " * 4", large + " + " + large + " + " + large,
        "-" + large + " - " + large + " - " + large,
        "(-" + large + " - " + large + " - 2147483590 / 1) / 0 + 1"}) {
    EXPECT_NE(failure_of(text), "") << text;
  }
}

TEST(Constants, WithoutAValueAreNamed) {
  const auto module = module_of("spec s(int k) { int x[k]; void f() {} }");
  try {
    evaluate(*module->objects[0]->variables[0]->type->size, {},
             *module->source);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the constant 'k' has no value here");
    EXPECT_EQ(error.place().column, 23u);
  }
}

}  // namespace
}  // namespace plumb::lang
