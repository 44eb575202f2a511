// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "lang/front_end_test_support.h"
#include "support/shared_folder.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Parser, ReadsAModelThatUsesEverything) {
  const auto module = module_of(kEverything);
  EXPECT_EQ(module->constants.size(), 3u);
  EXPECT_EQ(module->enums.size(), 1u);
  EXPECT_EQ(module->objects.size(), 4u);
  EXPECT_EQ(module->checks.size(), 15u);
}

TEST(Parser, ReadsAllSampleModels) {
  for (const std::string& text : sample_models()) {
    EXPECT_EQ(errors_of(text), "") << text;
  }
}

TEST(Parser, ReadsTheModelsOfTheDesign) {
  const auto folder = plumb::testing::shared_folder();
  if (!folder) GTEST_SKIP() << "the folder with the design is not there";
  std::ifstream file(*folder / "design" / "language.md");
  std::string text, line;
  std::size_t models = 0;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line != "```") {
      if (inside) text += line + "\n";
      continue;
    }
    inside = !inside;
    if (inside) continue;
    EXPECT_EQ(errors_of(text), "") << text;
    text.clear();
    ++models;
  }
  EXPECT_EQ(models, 3u);
}

TEST(Parser, ReadsAnEmptyFile) {
  EXPECT_THAT(module_of("")->objects, IsEmpty());
  EXPECT_THAT(module_of("  // nothing\n/* at all */")->checks, IsEmpty());
  EXPECT_THAT(module_of("\xEF\xBB\xBF"
                        "const N = 1;")
                  ->constants.size(),
              1u);
}

TEST(Parser, ReadsTheHeadOfAnObject) {
  const auto module = module_of(
      "const N = 2; spec s(int a, bool b) { void op() {} }\n"
      "object o implements s(N + 1, true) { void op() { skip; } }\n"
      "object p { void op() { skip; } }");
  const Object &s = *module->objects[0], &o = *module->objects[1];
  EXPECT_TRUE(s.is_specification);
  ASSERT_EQ(s.parameters.size(), 2u);
  EXPECT_EQ(s.parameters[1]->name, "b");
  EXPECT_EQ(s.parameters[1]->type->kind, TypeKind::kBool);
  EXPECT_EQ(s.parameters[1]->value, nullptr);
  EXPECT_FALSE(o.is_specification);
  EXPECT_EQ(o.implements, "s");
  EXPECT_EQ(o.implements_arguments.size(), 2u);
  EXPECT_EQ(o.specification, &s);
  EXPECT_EQ(module->objects[2]->implements, "");
}

TEST(Parser, ReadsMembers) {
  const auto module = module_of(
      "object o { const K = 3; enum E { a, b, } struct N { int v = 1; N n; }\n"
      "shared N top = new N { v = K }, low; init { top.n = low; }\n"
      "memory recycled; role w: 1 process { f } role r: others { f, g }\n"
      "void f() { skip; } int[2] g() { int t[2]; return t; }\n"
      "function N h(N n) { return n; } }");
  const Object& o = *module->objects[0];
  EXPECT_EQ(o.constants.size(), 1u);
  EXPECT_THAT(o.enums[0]->members, ElementsAre("a", "b"));
  EXPECT_EQ(o.structs[0]->fields.size(), 2u);
  EXPECT_EQ(o.variables.size(), 2u);
  EXPECT_FALSE(o.variables[1]->starts_line);
  EXPECT_NE(o.init, nullptr);
  EXPECT_EQ(o.memory, Memory::kRecycled);
  EXPECT_NE(o.roles[0].count, nullptr);
  EXPECT_EQ(o.roles[1].count, nullptr);
  EXPECT_THAT(o.roles[1].operations, ElementsAre("f", "g"));
  EXPECT_TRUE(o.functions[0]->is_operation);
  EXPECT_EQ(o.functions[1]->result->kind, TypeKind::kArray);
  EXPECT_FALSE(o.functions[2]->is_operation);
}

TEST(Parser, TellsRangesFromNames) {
  const Body body =
      body_of("const N = 3; shared int 0..N a; shared int N - 1..N b;",
              "int x; int -1..2 y; int N..N+1 z = N; int (N)..N w; bit v;");
  const auto has_range = [&](std::size_t i) {
    return body[i].variables[0]->type->low != nullptr;
  };
  EXPECT_FALSE(has_range(0));
  EXPECT_TRUE(has_range(1));
  EXPECT_TRUE(has_range(2));
  EXPECT_TRUE(has_range(3));
  EXPECT_TRUE(has_range(4));
  EXPECT_EQ(body[4].variables[0]->type->high->number, 1);
}

TEST(Parser, ReadsArraysFromTheOutside) {
  const auto module = module_of(
      "object o { shared int a[2][3], b[process]; "
      "shared seq<int, 4> q[2]; void f() { skip; } }");
  const Type& a = *module->objects[0]->variables[0]->type;
  EXPECT_EQ(a.size->number, 2);
  EXPECT_EQ(a.element->size->number, 3);
  EXPECT_EQ(module->objects[0]->variables[1]->type->size, nullptr);
  const Type& q = *module->objects[0]->variables[2]->type;
  EXPECT_EQ(q.kind, TypeKind::kArray);
  EXPECT_EQ(q.element->kind, TypeKind::kSeq);
  EXPECT_EQ(q.element->size->number, 4);
}

// Written with brackets, to see what binds tighter.
std::string shape(const Expression& e, const Source& source) {
  if (e.operands.empty()) return std::string(source.text(e.span));
  std::string inner;
  for (const auto& operand : e.operands) {
    inner += (inner.empty() ? "" : " ") + shape(*operand, source);
  }
  return "[" + inner + "]";
}

std::string shape_of(const std::string& text) {
  const Body body = body_of("shared int a, b, c; shared bool p, r, t;",
                            "bool v = " + text + ";");
  return shape(*body[0].variables[0]->initial, *body.module->source);
}

TEST(Parser, BindsOperatorsAsUsual) {
  EXPECT_EQ(shape_of("a + b * c == 1"), "[[a [b c]] 1]");
  EXPECT_EQ(shape_of("a - b - c == 1"), "[[[a b] c] 1]");
  EXPECT_EQ(shape_of("p || r && t"), "[p [r t]]");
  EXPECT_EQ(shape_of("a < b == p"), "[[a b] p]");
  EXPECT_EQ(shape_of("!p && -a < b"), "[[p] [[a] b]]");
  EXPECT_EQ(shape_of("p ? r : t ? p : r"), "[p r [t p r]]");
  EXPECT_EQ(shape_of("a == (b + c) * 2"), "[a [[b c] 2]]");
}

TEST(Parser, ReadsEveryStatement) {
  const Body body = body_of(
      "struct N { int v; } shared int x; shared N n; memory manual;"
      "function void f() { skip; }",
      "int a = 1, b; x = 1; f(); if (x == 1) skip; else skip;"
      "while (true) break; do x = 2; while (x == 1);"
      "for (int i = 0; i < 3; i++) continue; atomic { skip; } await x == 1;"
      "choose { skip; } or { skip; } or { skip; } assert true; delete n;"
      "linearize; linearize x = 3; { skip; } return;");
  const std::vector<StatementKind> wanted = {
      StatementKind::kDeclare,   StatementKind::kAssign,
      StatementKind::kEvaluate,  StatementKind::kIf,
      StatementKind::kWhile,     StatementKind::kDoWhile,
      StatementKind::kFor,       StatementKind::kAtomic,
      StatementKind::kAwait,     StatementKind::kChoose,
      StatementKind::kAssert,    StatementKind::kDelete,
      StatementKind::kLinearize, StatementKind::kLinearize,
      StatementKind::kBlock,     StatementKind::kReturn};
  ASSERT_EQ(body.statements->size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(body[i].kind, wanted[i]) << i;
  }
  EXPECT_EQ(body[3].body.size(), 2u);
  EXPECT_NE(body[6].first, nullptr);
  EXPECT_NE(body[6].next, nullptr);
  EXPECT_EQ(body[9].body.size(), 3u);
  EXPECT_TRUE(body[12].body.empty());
  EXPECT_EQ(body[13].body.size(), 1u);
}

TEST(Parser, ElseBelongsToTheNearestIf) {
  const Body body = body_of("shared bool p;", "if (p) if (p) skip; else skip;");
  EXPECT_EQ(body[0].body.size(), 1u);
  EXPECT_EQ(body[0].body[0]->body.size(), 2u);
}

TEST(Parser, WritesShortAssignmentsInFull) {
  const Body body =
      body_of("shared int a[2];", "a[1] += 5; a[0] -= 1; a[0]++; a[0]--;");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(body[i].kind, StatementKind::kAssign);
    const Expression& sum = *body[i].value;
    EXPECT_EQ(sum.op, i % 2 == 0 ? Operator::kAdd : Operator::kSubtract);
    EXPECT_EQ(sum.operands[0]->kind, ExpressionKind::kIndex);
    EXPECT_NE(sum.operands[0]->operands[0]->variable, nullptr)
        << "the copy has its names, too";
  }
  EXPECT_EQ(body[0].written_as, "+=");
  EXPECT_EQ(body[0].value->operands[1]->number, 5);
  EXPECT_EQ(body[3].written_as, "--");
  EXPECT_EQ(body[3].value->operands[1]->number, 1);
}

TEST(Parser, HeadsAreWhatATraceShows) {
  const Body body = body_of(
      "shared int x; shared bool p;",
      "if (x == 1) { x = 2; }\nwhile (p)\n skip;\n do x = 1; while (p);\n"
      "for (int i = 0; i < 2; i++) skip;\nint a = x, b;\nx += 1;\n"
      "atomic { x = 1; }\natomic {\n x = 1; }\nawait p;\n"
      "linearize if (p) return;\nlinearize;\nreturn;");
  EXPECT_EQ(body.head(0), "if (x == 1)");
  EXPECT_EQ(body.head(1), "while (p)");
  EXPECT_EQ(body.head(2), "while (p)");
  EXPECT_EQ(body.head(3), "for (int i = 0; i < 2; i++)");
  EXPECT_EQ(body.head(4), "int a = x, b");
  EXPECT_EQ(body.head(5), "x += 1");
  EXPECT_EQ(body.head(6), "atomic { x = 1; }");
  EXPECT_EQ(body.head(7), "atomic") << "more than one line";
  EXPECT_EQ(body.head(8), "await p");
  EXPECT_EQ(body.head(9), "linearize if (p)");
  EXPECT_EQ(body.head(10), "linearize");
  EXPECT_EQ(body.head(11), "return");
}

TEST(Parser, ALongAtomicIsShownByItsWordAlone) {
  const Body body =
      body_of("shared int x;",
              "atomic { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; x = 777; }"
              "atomic { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; x = 77; }");
  EXPECT_EQ(body.head(0), "atomic") << "61 characters";
  EXPECT_EQ(body.head(1).size(), 60u);
}

TEST(Parser, ReadsChecks) {
  const auto module = module_of(
      "const N = 1;\n"
      "object o implements stack { int pop() { return empty; } }\n"
      "check o linearizable with 1 process;\n"
      "check o linearizable at marks with N + 1 processes, values 1..2,\n"
      "  3 operations, cells 6, N = 4 expect violated;\n"
      "check o quasi(pop = 2) + quiescent with 2 processes, values 7,\n"
      "  6 cells, 1 operation expect unknown;\n");
  const Check &first = module->checks[0], &second = module->checks[1],
              &third = module->checks[2];
  EXPECT_EQ(first.object, module->objects[0].get());
  EXPECT_EQ(first.property, "linearizable");
  EXPECT_FALSE(first.at_marks);
  EXPECT_EQ(first.operations, nullptr);
  EXPECT_EQ(first.low, nullptr);
  EXPECT_FALSE(first.expect.has_value());
  EXPECT_TRUE(second.at_marks);
  EXPECT_EQ(second.low->number, 1);
  EXPECT_EQ(second.high->number, 2);
  EXPECT_EQ(second.operations->number, 3);
  EXPECT_EQ(second.cells->number, 6);
  ASSERT_EQ(second.settings.size(), 1u);
  EXPECT_EQ(second.settings[0].constant, module->constants[0].get());
  EXPECT_EQ(second.expect, Expectation::kViolated);
  EXPECT_EQ(third.property, "quasi(pop=2)+quiescent");
  EXPECT_EQ(third.high->number, 7);
  EXPECT_EQ(third.cells->number, 6);
  EXPECT_EQ(third.expect, Expectation::kUnknown);
}

// Words that mean something in one place only may be names elsewhere.
TEST(Parser, FewWordsAreReserved) {
  EXPECT_EQ(errors_of("object values { shared int with, expect, cells, holds, "
                      "or, role, memory, init, at, marks, others, set, map, "
                      "seq, operations, min, manual;\n"
                      "void op() { or = set < map ? seq : min(role, init); "
                      "memory = cells; } }\n"
                      "check values safe with 1 process;"),
            "");
}

TEST(Parser, OperationsMayHaveNamesOfBuiltInFunctions) {
  EXPECT_EQ(errors_of("object o implements set { shared set<int> s;\n"
                      "bool add(int v) { atomic { return insert(s, v); } }\n"
                      "bool remove(int v) { atomic { return remove(s, v); } }\n"
                      "bool contains(int v) { return contains(s, v); } }"),
            "");
}

}  // namespace
}  // namespace plumb::lang
