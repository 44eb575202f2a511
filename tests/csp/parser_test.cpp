// SPDX-License-Identifier: Apache-2.0
// Operators and how strong they bind, all forms of processes.
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

TEST(CspParser, OperatorsOfProcessesBindAsInPat) {
  for (const Case& wanted : std::initializer_list<Case>{
           {"A ||| B || A [] B <> A [*] B interrupt A",
            "(A() ||| (B() || (A() [] (B() <> (A() [*] (B() interrupt "
            "A()))))))"},
           {"A interrupt B [*] A <> B [] A || B ||| A",
            "((((((A() interrupt B()) [*] A()) <> B()) [] A()) || B()) ||| "
            "A())"},
           {"a -> A ; B", "(a -> A() ; B())"},
           {"[x == 0] a -> A ; B", "([(x == 0)]a -> A() ; B())"},
           {"A ||| B \\ {b}", "(A() ||| (B() \\ {b}))"},
           {"A ; B \\ {a} interrupt B", "(((A() ; B()) \\ {a}) interrupt B())"},
           {"a -> b -> A [] B", "(a -> b -> A() [] B())"},
           {"a -> (A [] B)", "a -> (A() [] B())"},
           {"A [] B [] A", "(A() [] B() [] A())"},
           {"(A [] B) [] A", "((A() [] B()) [] A())"},
           {"A \\ {a} \\ {b}", "(A() \\ {a,b})"},
           {"a -> [x > 0] b -> Skip", "a -> [(x > 0)]b -> Skip"},
           {"[x > 0] [y > 0] A", "[(x > 0)][(y > 0)]A()"},
           {"A <<x > 0>> B [] B", "(if ((x > 0)) {B()} else {A()} [] B())"},
       }) {
    EXPECT_EQ(process_of(wanted.text), wanted.message) << wanted.text;
  }
}

TEST(CspParser, IndexedOperatorsReachAsFarAsPossible) {
  for (const Case& wanted : std::initializer_list<Case>{
           {"||| i:{0..N}@C(i) [] A ||| B",
            "(|||i:{0..3}@((C(i) [] A()) ||| B()))"},
           {"|| i:{1,3,5}@C(i) \\ {a}", "(||i:{1,3,5}@(C(i) \\ {a}))"},
           {"[] i:{0..1}; j:{i..2}@a.i.j -> Skip",
            "([]i:{0..1};j:{i..2}@a.i.j -> Skip)"},
           {"<> i:{0..1}@C(i)", "(<>i:{0..1}@C(i))"},
           {"[*] i:{0..1}@C(i)", "([*]i:{0..1}@C(i))"},
           {"A || ([] i:{0..1}@C(i))", "(A() || ([]i:{0..1}@C(i)))"},
           {"A ||| [] i:{0..1}@C(i) ||| B",
            "(A() ||| ([]i:{0..1}@(C(i) ||| B())))"},
           {"|||{2}@A", "(|||{2}@A())"},
           {"|||{N-1}@A ||| B", "(|||{(3 - 1)}@(A() ||| B()))"},
           {"|||{..}@A", "(|||{..}@A())"},
       }) {
    EXPECT_EQ(process_of(wanted.text), wanted.message) << wanted.text;
  }
}

TEST(CspParser, AllFormsOfProcessesAreRead) {
  for (const Case& wanted : std::initializer_list<Case>{
           {"Skip", "Skip"},
           {"Skip()", "Skip"},
           {"Stop() ; Stop", "(Stop ; Stop)"},
           {"a.x.(x+1).arr[2] -> Skip", "a.x.(x + 1).arr[2] -> Skip"},
           {"a.x+1.y -> Skip", "a.(x + 1).y -> Skip"},
           {"a.s.Count().x -> Skip", "a.s.Count().x -> Skip"},
           {"a{x = 1; y = 2} -> Skip", "a{x = 1; y = 2;} -> Skip"},
           {"tau{x = 1;} -> A", "tau{x = 1;} -> A()"},
           {"{x++; y--} -> A", "tau{x++; y--;} -> A()"},
           {"tau -> A", "tau -> A()"},
           {"(a, b.1, tau) -> A", "(a,b.1,tau) -> A()"},
           {"(a) -> A", "(a) -> A()"},
           {"ch!x.1 -> A", "ch!x.1 -> A()"},
           {"ch?v.1 -> C(v)", "ch?v.=1 -> C(v)"},
           {"ch?v{x = v} -> A", "ch?v{x = v;} -> A()"},
           {"ch?[v > 0 && w]v.w -> A", "ch?[((v > 0) && w)]v.w -> A()"},
           {"box[x]!1 -> box[x+1]?v -> A", "box[x]!1 -> box[(x + 1)]?v -> A()"},
           {"if (x == 1) { A }", "if ((x == 1)) {A()} else {Skip}"},
           {"if (x) {A} else if (y) {B} else {A;B}",
            "if (x) {A()} else {if (y) {B()} else {(A() ; B())}}"},
           {"ifa (x) {A} else {B}", "ifa (x) {A()} else {B()}"},
           {"ifb (x) {A [] B} ; A", "(ifb (x) {(A() [] B())} ; A())"},
           {"case {x == 0: A x == 1: B ; A default: Stop}",
            "case {(x == 0): A() (x == 1): (B() ; A()) default: Stop}"},
           {"case {x: a -> A (y): C(1) (x) && y: B}",
            "case {x: a -> A() y: C(1) (x && y): B()}"},
           {"atomic {a -> A ; B}", "atomic{(a -> A() ; B())}"},
           {"assert(x < 3) ; A", "(assert((x < 3)) ; A())"},
           {"C(x + 1)", "C((x + 1))"},
           {"A() \\ {a, i:{0..2};j:{1,2}@c.i.j, tau}",
            "(A() \\ {a,i:{0..2};j:{1,2}@c.i.j,tau})"},
       }) {
    EXPECT_EQ(process_of(wanted.text), wanted.message) << wanted.text;
  }
}

TEST(CspParser, OperatorsOfExpressionsBindAsInPat) {
  for (const Case& wanted : std::initializer_list<Case>{
           {"x || y && x xor y & x == y < x + y * x",
            "(x || (y && (x xor (y & (x == (y < (x + (y * x))))))))"},
           {"x * y + x < y == x & y xor x && y || x",
            "((((((((x * y) + x) < y) == x) & y) xor x) && y) || x)"},
           {"x & y | x ^ y", "(((x & y) | x) ^ y)"},
           {"x - y - 1", "((x - y) - 1)"},
           {"x / y % 2 * 3", "(((x / y) % 2) * 3)"},
           {"!x == y", "(!x == y)"},
           {"-x + +y", "(-x + y)"},
           {"x == -1", "(x == -1)"},
           {"x != y", "(x != y)"},
           {"x <= y", "(x <= y)"},
           {"x >= y", "(x >= y)"},
           {"(x + y) * 2", "((x + y) * 2)"},
           {"arr[x + 1] == m[1][y]", "(arr[(x + 1)] == m[1][y])"},
           {"true && !false", "(true && !false)"},
           {"red + green == N", "((0 + 1) == 3)"},
           {"s.Contains(3) && s.Count() > 1",
            "(s.Contains(3) && (s.Count() > 1))"},
           {"call(cfull, buf) || call(cempty, box[x])",
            "(call(cfull,#1) || call(cempty,#2[x]))"},
       }) {
    EXPECT_EQ(condition_of(wanted.text), wanted.message) << wanted.text;
  }
}

TEST(CspParser, ProgramsAreRead) {
  for (const Case& wanted : std::initializer_list<Case>{
           {"{var k = 0; while (k < 3) {arr[k] = k; k = k + 1}; x = k}",
            "{var #0 = 0; while ((k < 3)) {arr[k] = k; k = (k + 1);} {} "
            "x = k;}"},
           {"{if (x == 1) y = 1; else if (x == 2) {y = 2;} else y = 3;}",
            "{if ((x == 1)) y = 1; else if ((x == 2)) {y = 2;} else y = 3;}"},
           {"{x = y = 1}", "{x = y = 1;}"},
           {"{var a[2][2]; a[1][x] = 1;}",
            "{var #0 = [0,0,0,0]; a[((1 * 2) + x)] = 1;}"},
           {"{var a[3] = [1, 2(2)]; arr = a}", "{var #0 = [1,2,2]; arr = a;}"},
           {"{s.Add(x); s = new Set()}", "{s.Add(x); s = new Set();}"},
           {"{}", "{}"},
           {"{;}", "{{}}"},
           {"{x = call(cpeek, buf)}", "{x = call(cpeek,#1);}"},
           {"{ {var k = 1; x = k} var k; y = k }",
            "{{var #0 = 1; x = k;} var #1; y = k;}"},
       }) {
    EXPECT_EQ(process_of(std::string("e") + wanted.text + " -> Skip"),
              std::string("e") + wanted.message + " -> Skip")
        << wanted.text;
  }
}

TEST(CspParser, ASemicolonEndsADefinitionWhereTheNextOneBegins) {
  const std::string text =
      "P = a -> Skip; Q(1); R; Q(x) = Stop; R = Skip;\n"
      "S = R; Q(2); #define k 1; T = R; var v; U = R; channel c 0; W = R;"
      "enum {e}; X = R";
  EXPECT_EQ(process_in(text + ";"), "(a -> Skip ; Q(1) ; R())");
  EXPECT_EQ(process_in(text + ";", "S"), "(R() ; Q(2))");
  EXPECT_EQ(process_in(text + ";", "X"), "R()");
  EXPECT_EQ(module_of(text + ";")->processes.size(), 8u);
}

TEST(CspParser, AssertionsAreRead) {
  const auto module = module_of(
      "var x; P = a -> Skip; Q(i) = Stop; #define goal x == 2;\n"
      "#assert P() deadlockfree; #assert P divergencefree;\n"
      "#assert P deterministic; #assert Q(1) nonterminating;\n"
      "#assert P reaches goal; #assert P reaches goal with min(x + 1);\n"
      "#assert P() reaches goal with max (x);\n"
      "#assert P |= [] (goal -> <> \"c!1;2\")\n   && !a U b.1;\n"
      "#assert P refines Q(2); #assert P refines<F> P;"
      "#assert P refines <FD> P();");
  std::vector<std::string> texts;
  for (const Assertion& assertion : module->assertions) {
    texts.push_back(assertion.text);
  }
  EXPECT_EQ(
      texts,
      (std::vector<std::string>{
          "P() deadlockfree", "P divergencefree", "P deterministic",
          "Q(1) nonterminating", "P reaches goal",
          "P reaches goal with min(x + 1)", "P() reaches goal with max (x)",
          "P |= [] (goal -> <> \"c!1;2\") && !a U b.1", "P refines Q(2)",
          "P refines<F> P", "P refines <FD> P()"}));
  const auto& all = module->assertions;
  EXPECT_EQ(all[3].kind, AssertionKind::kNonterminating);
  EXPECT_EQ(all[4].extreme, Extreme::kNone);
  EXPECT_EQ(all[5].extreme, Extreme::kMin);
  EXPECT_EQ(text_of(*all[5].measure), "(x + 1)");
  EXPECT_EQ(all[6].extreme, Extreme::kMax);
  EXPECT_EQ(all[7].formula, "[] (goal -> <> \"c!1;2\")\n   && !a U b.1");
  EXPECT_EQ(text_of(*all[8].other, *module), "Q(2)");
  EXPECT_EQ(all[8].model, Behaviours::kTraces);
  EXPECT_EQ(all[9].model, Behaviours::kFailures);
  EXPECT_EQ(all[10].model, Behaviours::kFailuresDivergences);
}

}  // namespace
}  // namespace plumb::csp
