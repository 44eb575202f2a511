// SPDX-License-Identifier: Apache-2.0
// What is one step, and what is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/machine_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// An object with one operation, run by one process.
std::string object_with(const std::string& members,
                        const std::string& bounds = "1 process, 1 operations") {
  return "object o {\n" + members + "\n}\ncheck o safe with " + bounds + ";\n";
}

TEST(Steps, ReadingAndWritingAreTwo) {
  EXPECT_THAT(first_run(object_with("shared int x; void f() { x = x + 1; }")),
              ElementsAre("f()", "x = x + 1 | read x = 0",
                          "x = x + 1 | x: 0 -> 1", "return"));
}

TEST(Steps, ReadModifyWriteIsOne) {
  EXPECT_THAT(
      first_run(
          object_with("shared int x; int f() { return fetch_add(x, 2); }")),
      ElementsAre("f()", "return fetch_add(x, 2) | x: 0 -> 2", "return 0"));
  EXPECT_THAT(
      first_run(object_with("shared int x; bool f() { return cas(x, 0, 5); }")),
      ElementsAre("f()", "return cas(x, 0, 5) | x: 0 -> 5", "return true"));
  EXPECT_THAT(
      first_run(
          object_with("shared int x = 1; bool f() { return cas(x, 0, 5); }")),
      ElementsAre("f()", "return cas(x, 0, 5) | read x = 1", "return false"));
  EXPECT_THAT(first_run(object_with("shared int x = 1, y = 2;"
                                    "bool f() {"
                                    " return dcas(x, y, 1, 2, 3, 4); }")),
              ElementsAre("f()",
                          "return dcas(x, y, 1, 2, 3, 4) | x: 1 -> 3 | "
                          "y: 2 -> 4",
                          "return true"));
  EXPECT_THAT(
      first_run(
          object_with("shared int x = 1; int f() { return exchange(x, 7); }")),
      ElementsAre("f()", "return exchange(x, 7) | x: 1 -> 7", "return 1"));
}

TEST(Steps, LocalComputationIsNone) {
  EXPECT_THAT(first_run(object_with("int f() { int s = 0;"
                                    " for (int i = 0; i < 4; i = i + 1)"
                                    "  s += i; return s; }")),
              ElementsAre("f()", "return 6"));
}

TEST(Steps, AtomicIsOne) {
  EXPECT_THAT(
      first_run(object_with("shared int x, y = 3;"
                            "int f() { atomic { x = y; y = y + 1;"
                            " return x; } }")),
      ElementsAre("f()",
                  "atomic { x = y; y = y + 1; return x; } | x: 0 -> 3 | "
                  "y: 3 -> 4",
                  "return 3"));
}

TEST(Steps, SkipIsOne) {
  EXPECT_THAT(first_run(object_with("void f() { skip; skip; }")),
              ElementsAre("f()", "skip", "skip", "return"));
}

TEST(Steps, ConditionsAreEvaluatedLazily) {
  EXPECT_THAT(
      first_run(object_with("shared bool a, b;"
                            "bool f() { return a && b; }")),
      ElementsAre("f()", "return a && b | read a = false", "return false"));
  EXPECT_THAT(first_run(object_with("shared bool a = true, b;"
                                    "int f() { return a ? 1 : b ? 2 : 3; }")),
              ElementsAre("f()", "return a ? 1 : b ? 2 : 3 | read a = true",
                          "return 1"));
}

TEST(Steps, EachElementAndFieldIsAPlaceOfItsOwn) {
  EXPECT_THAT(first_run(object_with("shared int a[3]; shared int i = 2;"
                                    "void f() { a[i] = 5; }")),
              ElementsAre("f()", "a[i] = 5 | read i = 2",
                          "a[i] = 5 | a[2]: 0 -> 5", "return"));
  EXPECT_THAT(first_run(object_with("struct N { int v; N next; }"
                                    "shared N top = new N { v = 1,"
                                    " next = new N { v = 2 } };"
                                    "int f() { return top.next.v; }")),
              ElementsAre("f()", "return top.next.v | read top = #1",
                          "return top.next.v | read #1.next = #2",
                          "return top.next.v | read #2.v = 2", "return 2"));
}

TEST(Steps, EachCallOnAContainerIsOne) {
  EXPECT_THAT(
      first_run(object_with("shared seq<int, 3> q;"
                            "int f() { push_back(q, 4); push_back(q, 5);"
                            " return pop_front(q); }")),
      ElementsAre("f()", "push_back(q, 4) | q: [] -> [4]",
                  "push_back(q, 5) | q: [4] -> [4, 5]",
                  "return pop_front(q) | q: [4, 5] -> [5]", "return 4"));
}

TEST(Steps, FunctionsAreJustTheirSteps) {
  EXPECT_THAT(
      first_run(object_with("shared int x = 3;"
                            "function int twice(int k) { return x + k; }"
                            "int f() { return twice(1) + twice(2); }")),
      ElementsAre("f()", "return x + k | read x = 3",
                  "return x + k | read x = 3", "return 9"));
}

TEST(Steps, AFreshCellIsPrivateUntilItIsStored) {
  EXPECT_THAT(
      first_run(object_with("struct N { int v; N next; }"
                            "shared N top;"
                            "void f(int 1..1 k) { N n = new N; n.v = k;"
                            " N m = n; m.next = top; top = n; n.v = 2; }")),
      ElementsAre("f(1) | #1: new N { v = 1, next = null }",
                  "m.next = top | read top = null | #1.next: null -> null",
                  "top = n | top: null -> #1", "n.v = 2 | #1.v: 1 -> 2",
                  "return"));
}

TEST(Steps, ACellThatIsStoredInACellOrContainerIsNotPrivate) {
  const std::string before =
      "struct N { int v; N next; } shared N top = new N; shared seq<N> all;"
      " shared N some[2]; void f() { N n = new N; N t = top; ";
  for (const std::string store :
       {"t.next = n;", "push_back(all, n);", "some[1] = n;",
        "if (cas(t.next, null, n)) { }", "exchange(top, n);"}) {
    const auto steps = first_run(object_with(before + store + " n.v = 2; }"));
    // invocation, reading `top`, the store, n.v, return.
    EXPECT_EQ(steps.size(), 5u) << store;
  }
}

// `m` may or may not be `n`: once it is stored, `n` is not private any more.
TEST(Steps, ACellThatMayHaveBeenStoredIsNotPrivate) {
  EXPECT_THAT(
      first_run(object_with("struct N { int v; }"
                            "shared N top;"
                            "void f(bool b) { N n = new N; N o = new N;"
                            " N m = n; if (b) m = o; top = m; n.v = 2; }")),
      ElementsAre("f(false) | #1: new N { v = 0 }", "top = m | top: null -> #1",
                  "n.v = 2 | #1.v: 0 -> 2", "return"));
}

TEST(Steps, AFailingCasKeepsTheCellPrivate) {
  const Space space = explore(
      object_with("struct N { int v; }"
                  "shared N top = new N; shared int x;"
                  "void f() { N n = new N;"
                  " if (cas(top, null, n)) { n.v = 1; } else { n.v = 1; } }"));
  // invoked, about to cas, about to return, idle again: no step for n.v.
  EXPECT_EQ(space.states.size(), 4u);
}

TEST(Steps, AwaitIsAStepThatIsNotAlwaysPossible) {
  const Compiled made =
      compiled(object_with("shared bool go; void f() { await go; }"));
  const Space space = explore(*made.model.system);
  EXPECT_EQ(space.states.size(), 2u) << "it never gets on";
  EXPECT_EQ(space.waiting, 1u);
  EXPECT_EQ(space.stuck, 1u);
}

TEST(Steps, AChoiceGoesWithTheFirstAccessOfItsBranch) {
  const Space space = explore(object_with(
      "shared int x; int f() { int r; choose { await x > 0; r = 1; }"
      " or { r = x + 2; } or { x = 5; r = 3; } return r; }"));
  EXPECT_THAT(space.results, UnorderedElementsAre("f -> 2", "f -> 3"));
  EXPECT_EQ(space.waiting, 0u) << "two branches are possible";
}

TEST(Steps, AllBranchesMayBlock) {
  const Space space =
      explore(object_with("shared int x; void f() { choose { await x > 0; }"
                          " or { await x < 0; } }"));
  EXPECT_EQ(space.waiting, 1u);
  EXPECT_EQ(space.stuck, 1u);
}

TEST(Steps, AnyIsAllNumbersOfTheRange) {
  const Space space = explore(object_with("int f() { return any(2, 4); }"));
  EXPECT_THAT(space.results,
              UnorderedElementsAre("f -> 2", "f -> 3", "f -> 4"));
}

TEST(Steps, MarksBelongToTheStepBefore) {
  EXPECT_THAT(
      first_run(object_with("shared int x; int f() {"
                            " linearize if (cas(x, 0, 1)) return 1;"
                            " return 2; }")),
      ElementsAre("f()", "if (cas(x, 0, 1)) | x: 0 -> 1 | marked", "return 1"));
  EXPECT_THAT(first_run(object_with("shared int x = 7; int f() {"
                                    " linearize if (cas(x, 0, 1)) return 1;"
                                    " return 2; }")),
              ElementsAre("f()", "if (cas(x, 0, 1)) | read x = 7", "return 2"));
  EXPECT_THAT(first_run(object_with("shared int x, y; int f() {"
                                    " linearize return x + y; }")),
              ElementsAre("f()", "return x + y | read x = 0",
                          "return x + y | read y = 0 | marked", "return 0"));
  EXPECT_THAT(first_run(object_with(
                  "shared int x; void f() { x = 1; linearize; x = 2; }")),
              ElementsAre("f()", "x = 1 | x: 0 -> 1 | marked",
                          "x = 2 | x: 1 -> 2", "return"));
}

TEST(Steps, DeadVariablesDoNotSplitStates) {
  // The value that was read is gone before the next step.
  const Space dead = explore(object_with(
      "shared int x; void f(int 0..9 v) { int t = v; x = 1; x = 2; }"));
  const Space live = explore(object_with(
      "shared int x; void f(int 0..9 v) { int t = v; x = 1; x = 2; x = t; }"));
  EXPECT_EQ(dead.states.size(), 5u);
  EXPECT_GT(live.states.size(), 20u);
}

TEST(Steps, RepeatingAModelGivesTheSameOrder) {
  const Compiled made =
      compiled(object_with("shared int x; void f(int 0..3 v) { x = v; }",
                           "2 processes, 1 operations"));
  lts::Successors first, second;
  made.model.system->successors(made.model.system->initial(), first);
  made.model.system->successors(made.model.system->initial(), second);
  ASSERT_EQ(first.size(), 8u);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first.label(i), second.label(i));
  }
}

TEST(Steps, NothingIsLeftOfACall) {
  const Space space = explore(object_with(
      "shared int x; int f(int 0..9 v) { int t = x; return t; }", "1 process"));
  EXPECT_THAT(space.faults, IsEmpty());
  EXPECT_EQ(space.states.size(), 3u) << "idle, about to read, to return";
}

}  // namespace
}  // namespace plumb::lang
