// SPDX-License-Identifier: Apache-2.0
// Cells: their names, garbage, and memory that is freed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lang/machine_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string treiber(const std::string& memory, const std::string& after_pop,
                    const std::string& new_node = "new Node; n.val = v") {
  return "object treiber { " + memory +
         " struct Node { int val; Node next; } shared Node top = null;"
         " void push(int v) { Node n = " +
         new_node +
         ";"
         " while (true) { Node t = top; n.next = t;"
         "  if (cas(top, t, n)) return; } }"
         " int pop() { while (true) { Node t = top;"
         "  if (t == null) return empty; Node next = t.next;"
         "  if (cas(top, t, next)) { int v = t.val; " +
         after_pop + " return v; } } } }";
}

TEST(Heap, StatesThatDifferInAddressesAreOne) {
  // Two ways to make the same list.
  const Space space = explore(
      "object o { struct N { int v; N next; } shared N a, b;"
      " void f(bool first) { atomic {"
      "  if (first) { a = new N { v = 1 }; b = new N { v = 2 }; }"
      "  else { N m = new N { v = 2 }; N n = new N { v = 1 };"
      "   a = n; b = m; } } } }"
      "check o safe with 1 process, 1 operations;");
  // idle; called with true; with false; about to return; done.
  EXPECT_EQ(space.states.size(), 5u);
}

TEST(Heap, UnreachableCellsAreGone) {
  const Space space = explore(
      "object o { struct N { N next; } shared N a;"
      " void f() { a = new N { next = new N }; a = null; } }"
      "check o safe with 1 process, cells 2;");
  EXPECT_EQ(space.cut, 0u);
  EXPECT_EQ(space.states.size(), 4u);
}

TEST(Heap, RingsAreCollectedToo) {
  const Space space = explore(
      "object o { struct N { N next; } shared N a;"
      " void f() { atomic { N m = new N; N n = new N { next = m };"
      "  m.next = n; a = m; } a = null; } }"
      "check o safe with 1 process, cells 2;");
  EXPECT_EQ(space.cut, 0u);
  EXPECT_EQ(space.states.size(), 4u);
}

// Nothing is written in the step in which `n` is looked at for the last time.
TEST(Heap, ACellThatOnlyALocalKnewGoesWithIt) {
  const Space space = explore(
      "object o { struct N { int v; } shared int x;"
      " void f() { N n = new N; n.v = any(1, 3); if (x == 1) x = n.v;"
      "  x = 2; } }"
      "check o safe with 1 process, 1 operations;");
  // idle; called with 1, 2, 3 in the cell; about to write; to return; done.
  EXPECT_EQ(space.states.size(), 7u);
}

TEST(Heap, LocalsNameTheirCellsInOrder) {
  // `a` and `b` swap: the same two states, whatever the order was before.
  const Space space = explore(
      "object o { struct N { int v; } shared int x;"
      " void f(bool s) { N a = new N { v = 1 }; N b = new N { v = 2 };"
      "  if (s) { N c = a; a = b; b = c; }"
      "  x = 1; N d = a; N e = b; if (!s) { d = b; e = a; }"
      "  x = 2; x = d.v; x = e.v; } }"
      "check o safe with 1 process, 1 operations;");
  // Both calls rest at `x = 1` in states of their own; then they are one,
  // which goes through two writes, two reads and two more writes.
  EXPECT_EQ(space.states.size(), 10u);
}

TEST(Heap, CellsAreBounded) {
  const Compiled made = compiled(
      "object o { struct N { N next; } shared N a;"
      " void f() { a = new N { next = a }; } }"
      "check o safe with 1 process, cells 3;");
  const Space space = explore(*made.model.system);
  EXPECT_EQ(space.cut, 1u);
  EXPECT_EQ(space.waiting, 0u);
  EXPECT_EQ(made.model.system->bounds()[0].text, "3 cells");
  EXPECT_TRUE(made.model.system->bounds()[0].by_user);
}

TEST(Heap, PrivateCellsSaveStates) {
  // The cell is known to others from the start: each field is a step.
  const std::string check =
      "check treiber safe with 2 processes, values 1..2, 2 operations;";
  const Space folded = explore(treiber("", "") + check);
  const Space known =
      explore(treiber("", "", "new Node; seen = n; n.val = v")
                  .replace(0, 16, "object treiber { shared Node seen; ") +
              check);
  EXPECT_LT(2 * folded.states.size(), known.states.size());
  EXPECT_THAT(folded.faults, IsEmpty());
}

TEST(Heap, FreedCellsAreNotUsed) {
  const Space space =
      explore(treiber("memory manual;", "delete t;") +
              "check treiber safe with 2 processes, values 1, 2 operations;");
  EXPECT_THAT(space.faults, ElementsAre("line 1: freed cell used in `t.next`"));
}

// Process 0 reads `top` and `t.next`, then others pop both and push the first
// again: the cas succeeds, and `top` is a cell that was freed.
TEST(Heap, RecycledCellsShowAba) {
  const std::string check =
      "check treiber safe with 2 processes, values 1, 4 operations;";
  const Space space = explore(treiber("memory recycled;", "delete t;") + check);
  EXPECT_THAT(space.faults,
              ElementsAre("line 1: cell deleted twice in `delete t;`"));
  EXPECT_THAT(explore(treiber("", "") + check).faults, IsEmpty());
}

TEST(Heap, DeletingTwiceIsAFault) {
  EXPECT_THAT(explore("object o { memory manual; struct N { N next; }"
                      " shared N a = new N;"
                      " void f() { N n = a; delete n; delete n; } }"
                      "check o safe with 1 process, 1 operations;")
                  .faults,
              ElementsAre("line 1: cell deleted twice in `delete n;`"));
  EXPECT_THAT(explore("object o { memory manual; struct N { N next; }"
                      " shared N a; void f() { N n = a; delete n; } }"
                      "check o safe with 1 process, 1 operations;")
                  .faults,
              ElementsAre("line 1: null reference in `delete n;`"));
}

TEST(Heap, NewTakesAFreedCellOrAFreshOne) {
  const Space space = explore(
      "object o { memory recycled; struct N { int v; }"
      " shared N a = new N; shared N b;"
      " bool f() { N n = a; delete n; b = new N; return b == n; } }"
      "check o safe with 1 process, 1 operations;");
  EXPECT_THAT(space.results,
              ::testing::UnorderedElementsAre("f -> true", "f -> false"));
}

TEST(Heap, LeakedCellsVanish) {
  const Space space = explore(
      "object o { memory manual; struct N { int v; } shared N a;"
      " void f() { a = new N; a = null; } }"
      "check o safe with 1 process, cells 1;");
  EXPECT_EQ(space.cut, 0u);
}

TEST(Heap, CellsOfSeveralStructs) {
  EXPECT_THAT(
      first_run("object o { struct A { B b; int x; } struct B { A a; bool y; }"
                " shared A root; void f() { atomic { B b = new B { y = true };"
                "  root = new A { b = b, x = 7 }; b.a = root; }"
                " root.b.a.x = 8; } }"
                "check o safe with 1 process, 1 operations;")
          .at(1),
      "atomic | #1: new B { a = #2, y = true } | #2: new A { b = #1, x = 7 } "
      "| root: null -> #2");
}

}  // namespace
}  // namespace plumb::lang
